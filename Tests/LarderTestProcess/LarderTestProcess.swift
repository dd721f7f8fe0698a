import Foundation
import Larder

/// The second process of tests: does one thing to a store's file, and says on its standard output how it went, a line
/// at a time.
@main
struct LarderTestProcess {
  let path: String

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { return say("usage: LarderTestProcess command path [number]") }
    let process = LarderTestProcess(path: arguments[2])
    let number = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
    switch arguments[1] {
    case let command where command.hasPrefix("documents-"): try await process.documents(command, number)
    case "once": try await process.once()
    case "migrate": try await process.migrate()
    case "save": try await process.save()
    case "pairs": try await process.savePairs()
    case "insert": try await process.insert(number)
    case "countWrites": try process.countWrites(number)
    case "hold": try process.hold()
    case "fill": try await process.fill()
    case "use": process.use()
    case "explain": process.explain()
    case "read": await process.read()
    case "check": try await process.check(number)
    case "results": try await process.results(number)
    case "edit": try process.edit()
    case "sql": try process.executeLines()
    case "attach": try await process.attach()
    case "keep": try await process.keep()
    case "large": try await process.large(number)
    case "exportLarge": try await process.exportLarge(number)
    case "exportKilled": try await process.exportKilled(number)
    case "importKilled": try await process.importKilled(number)
    case "exportToFullDisk": try await process.exportToFullDisk()
    case "fillAttachments": try await process.fillAttachments()
    case "readAttachment": try await process.readAttachment()
    case "undoAttachment": try await process.undoAttachment()
    case "moveAway": try await process.moveAway()
    case "share": try await process.share(number)
    default: say("there is no command \(arguments[1])")
    }
  }

  /// Written at once: a pipe would keep what `print` writes.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private func say(_ line: String) { Self.say(line) }

  /// Says what is said to who opens the file as an existing one.
  private func explain() {
    do {
      _ = try Store(at: path, for: Entry.self, schema: .existing)
      say("opened")
    } catch {
      say("\(error)")
    }
  }

  private func open() throws -> Store { try Store(at: path, for: Entry.self) }

  /// Says that it is ready, and waits for a line.
  private func waitForStart() {
    say("ready")
    _ = readLine()
  }

  private func once() async throws {
    waitForStart()
    let wasCalled = try await open().once("seed") { db in try db.insert(Entry(number: 1)) }
    say("\(wasCalled)")
  }

  private func migrate() async throws {
    waitForStart()
    let seed = Migration("seed") { db in try db.insert(Entry(number: 1)) }
    let store = try Store(at: path, for: Entry.self, configuration: Store.Configuration(migrations: [seed]))
    say("\(try await store.count(Entry.all))")
  }

  /// Saves until it is killed, and says each key after the save has returned.
  private func save() async throws {
    let store = try open()
    for number in 0... {
      let entry = Entry(number: number)
      try await store.save(entry)
      say(entry.id.uuidString)
    }
  }

  /// Saves two rows in each transaction until it is killed.
  private func savePairs() async throws {
    let store = try open()
    for number in 0... {
      try await store.write { db in
        try db.insert(Entry(number: number, text: "left"))
        try db.insert(Entry(number: number, text: "right"))
      }
      say("\(number)")
    }
  }

  private func insert(_ count: Int) async throws {
    let store = try open()
    waitForStart()
    for number in 0..<count {
      try await store.insert(Entry(number: number, text: "\(ProcessInfo.processInfo.processIdentifier)"))
    }
    say("done")
  }

  /// Keeps the file locked until it is told to let go.
  private func hold() throws {
    try open().blocking.write { db in
      try db.insert(Entry(number: -1))
      say("held")
      _ = readLine()
    }
    say("released")
  }

  /// Saves until the disk is full, checks that nothing is half done, makes room and goes on.
  private func fill() async throws {
    let ballast = path + ".ballast"
    _ = FileManager.default.createFile(atPath: ballast, contents: Data(count: 1 << 20))
    let store = try open()
    var saved = 0
    do {
      while true {
        try await store.save(Entry(number: saved, text: String(repeating: "x", count: 5000)))
        saved += 1
      }
    } catch let error as StoreError {
      say("\(error.code)")
    }
    do {
      try await store.insert((0..<100).map { Entry(number: $0, text: String(repeating: "y", count: 5000)) })
      say("all were inserted")
    } catch let error as StoreError {
      say("\(error.code)")
    }
    let count = try await store.count(Entry.all)
    say(count == saved ? "nothing is half done" : "\(count) of \(saved) rows")
    try FileManager.default.removeItem(atPath: ballast)
    try await store.save(Entry(number: -1, text: "after"))
    let check = try await store.sql("pragma integrity_check").first?.first?.value
    say("\(check ?? .null) \(try await store.count(Entry.where { $0.text == "after" }))")
  }

  /// Changes what it is told, a line each: `set KEY TEXT`, `number KEY NUMBER`, `delete KEY`, `insert KEY TEXT`.
  private func edit() throws {
    let db = try open().blocking
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count > 1, let key = UUID(uuidString: words[1]) else { return }
      switch words[0] {
      case "set": try db.updateAll(Entry.where { $0.id == key }) { $0.text.set(words[2]) }
      case "number": try db.updateAll(Entry.where { $0.id == key }) { $0.number.set(Int(words[2]) ?? 0) }
      case "insert": try db.insert(Entry(id: key, number: 0, text: words[2]))
      default: try db.delete(Entry.self, key)
      }
      say("done")
    }
  }

  /// Says how opening, reading and writing end, first as a store and then as an existing file.
  private func use() {
    for schema in [Store.Configuration.SchemaMode.managed, .existing] {
      do {
        let db = try Store(at: path, for: Entry.self, schema: schema).blocking
        say("opened")
        attempt { "\(try db.count(Entry.all)) rows" }
        attempt {
          try db.insert(Entry(number: 1, text: String(repeating: "x", count: 1 << 20)))
          return "inserted"
        }
        attempt { "\(try db.count(Entry.all)) rows" }
      } catch {
        say(Self.name(of: error))
      }
    }
  }

  private func attempt(_ body: () throws -> String) {
    do {
      say(try body())
    } catch {
      say(Self.name(of: error))
    }
  }

  private static func name(of error: any Error) -> String {
    (error as? StoreError).map { "\($0.code)" } ?? "\(type(of: error))"
  }
}
