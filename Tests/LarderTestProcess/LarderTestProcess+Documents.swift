import Foundation
import Larder
import Synchronization

extension LarderTestProcess {
  /// What a second process does to the documents of the collection "people".
  func documents(_ command: String, _ number: Int) async throws {
    switch command {
    case "documents-discover": try await discover(number)
    case "documents-half": try half(number)
    case "documents-batches": try await batches(number)
    case "documents-edit": try edit()
    case "documents-open": try openDocuments(endingAt: number)
    default: Self.say("there is no command \(command)")
    }
  }

  /// Sets a hundred documents, each with a property of its own and one that other processes find as well, and says the
  /// number of each.
  private func discover(_ process: Int) async throws {
    let people = try Store(at: path).documents("people")
    Self.say("ready")
    _ = readLine()
    for number in 0..<100 {
      try await people.save(
        "\(process)-\(number)",
        ["p\(process)_\(number)": .integer(Int64(number)), "shared\(number)": .integer(Int64(process))])
      Self.say("\(number)")
    }
    let found = try await people.count { $0["shared7"] == process && $0["p\(process)_7"] == 7 }
    Self.say("found \(found)")
  }

  /// Stops in the middle of a batch, and never goes on.
  private func half(_ count: Int) throws {
    let store = try Store(at: path)
    try store.blocking.write { db in
      let people = db.documents("people")
      for number in 0..<count { try people.save("half-\(number)", ["half": .integer(Int64(number)), "n": 1]) }
      Self.say("half")
      _ = readLine()
      try people.save("whole", ["whole": true])
    }
    Self.say("done")
  }

  /// Sets batches of so many documents until it is killed, and says the number of each batch that is stored.
  private func batches(_ count: Int) async throws {
    let people = try Store(at: path).documents("people")
    for batch in 0... {
      let documents = (0..<count).map {
        (key: "\(batch)-\($0)", value: ["batch": .integer(Int64(batch)), "b\(batch % 8)": true] as Document)
      }
      try await people.save(keyed: documents)
      Self.say("\(batch)")
    }
  }

  /// Does what it is told, a line each: `set KEY JSON`, `delete KEY`, `index PROPERTY`, `keys PROPERTY INTEGER`,
  /// `drop`.
  private func edit() throws {
    let people = try Store(at: path).blocking.documents("people")
    Self.say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      switch (words.first, words.count) {
      case ("set", 3): try people.save(words[1], json: words[2])
      case ("delete", 2): try people.delete(words[1])
      case ("index", 2): try people.index(on: words[1])
      case ("keys", 3): Self.say(try people.keys { $0[words[1]] == Int(words[2]) }.sorted().joined(separator: " "))
      case ("drop", 1): try people.deleteCollection()
      default: return Self.say("there is no command \(line)")
      }
      Self.say("done")
    }
  }
}

extension LarderTestProcess {
  /// Opens the file, and ends itself when the statement with the number has been executed, which it says before.
  ///
  /// A small cache makes SQLite write pages to the disk before the transaction ends.
  func openDocuments(endingAt number: Int) throws {
    let executed = Counter()
    let configuration = Store.Configuration(
      cacheSize: 16 << 10,
      trace: { event in
        guard executed.count.wrappingAdd(1, ordering: .relaxed).newValue == number else { return }
        Self.say(event.sql)
        kill(getpid(), SIGKILL)
      })
    _ = try Store(at: path, configuration: configuration)
    // The statement may be one of the sweeper, whose thread is about to end the process.
    while number > 0, executed.count.load(ordering: .relaxed) >= number { pause() }
    Self.say("opened")
  }

  private final class Counter: Sendable {
    let count = Atomic<Int>(0)
  }
}
