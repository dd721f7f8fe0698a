import Foundation
import Larder
import Synchronization

@Model
private struct Parcel {
  var id: Int
  var content: Attachment?
}

extension LarderTestProcess {
  /// Attaches, saves, deletes and collects, and ends itself at the step that the environment names.
  func attach() async throws {
    let environment = ProcessInfo.processInfo.environment
    let store = try Store(
      at: path, for: Parcel.self, configuration: Store.Configuration(attachmentRetention: .zero))
    let step = environment["LARDER_FAULT_POINT"] ?? ""
    FaultPoint.observe { point in
      if point.rawValue == step { kill(getpid(), SIGKILL) }
    }
    let content = try await store.attach(Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }), name: "../first")
    end(at: "rowSaving", step)
    try await store.save(Parcel(id: 1, content: content))
    end(at: "rowSaved", step)
    try await store.save(Parcel(id: 2, content: try await store.attach(Data("second".utf8))))
    try await store.delete(Parcel.self, 2)
    end(at: "rowDeleted", step)
    if step.hasPrefix("backup") { try await store.backup(to: path + ".copy") }
    Self.say("waiting")
    // The collector works by itself, and the process ends in it.
    while readLine() != nil {}
  }

  private func end(at name: String, _ step: String) {
    if name == step { kill(getpid(), SIGKILL) }
  }

  /// Opens the store by a relative path, and goes to another folder: what is attached then is beside the store.
  func moveAway() async throws {
    let url = URL(fileURLWithPath: path)
    _ = chdir(url.deletingLastPathComponent().path)
    let store = try Store(at: url.lastPathComponent, for: Parcel.self)
    _ = chdir("/")
    let content = try await store.attach(Data("far away".utf8))
    try await store.save(Parcel(id: 1, content: content))
    Self.say(try await store.count(Parcel.all) == 1 ? "saved" : "not found")
  }

  /// Attaches the same bytes many times, saves and deletes them, side by side with other processes.
  func share(_ count: Int) async throws {
    let store = try Store(at: path, for: Parcel.self)
    Self.say("ready")
    _ = readLine()
    let own = Int(getpid()) * 10_000
    for number in 0..<count {
      let bytes = Data("shared \(number % 3)".utf8)
      let content = try await store.attach(bytes)
      try await store.save(Parcel(id: own + number, content: content))
      guard try await store.data(of: content) == bytes else { return Self.say("wrong bytes") }
      if number % 4 != 0 { try await store.delete(Parcel.self, own + number) }
    }
    Self.say("done")
  }

  /// Attaches and does not save, and says the digest.
  func keep() async throws {
    let store = try Store(at: path, for: Parcel.self)
    let content = try await store.attach(Data("kept".utf8))
    Self.say(content.digest)
    _ = readLine()
    withExtendedLifetime((store, content)) {}
  }

  /// Deletes the only row that names an attachment, in a context that can undo it, and waits.
  func undoAttachment() async throws {
    let store = try Store(at: path, for: Parcel.self)
    let context = Context(store)
    context.delete(Parcel.self, 1)
    try context.save()
    Self.say("saved")
    if readLine() == "undo" {
      context.undo()
      try context.save()
      context.redo()
      try context.save()
      Self.say("saved")
    }
    _ = readLine()
    withExtendedLifetime(context) {}
  }

  /// Attaches until the disk is full, looks what that has left, makes room and goes on.
  func fillAttachments() async throws {
    let ballast = path + ".ballast"
    _ = FileManager.default.createFile(atPath: ballast, contents: Data(count: 1 << 20))
    let store = try Store(at: path, for: Parcel.self)
    var saved = 0
    do {
      while true {
        let content = try await store.attach(Data(repeating: UInt8(truncatingIfNeeded: saved), count: 300_000))
        try await store.save(Parcel(id: saved, content: content))
        saved += 1
      }
    } catch let error as StoreError {
      Self.say("\(error.code)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: path + ".attachments/tmp").count
    Self.say("\(try await store.verifyAttachments().isWhole) \(left) \(try await store.count(Parcel.all) == saved)")
    try FileManager.default.removeItem(atPath: ballast)
    let content = try await store.attach(Data(repeating: 255, count: 300_000))
    try await store.save(Parcel(id: -1, content: content))
    Self.say("\(try await store.data(of: content).count)")
  }

  /// Reads what the first row names, and attaches something.
  func readAttachment() async throws {
    let store = try Store(at: path, for: Parcel.self)
    let content = try await store.first(Parcel.all)?.content
    if let content { Self.say("\(try await store.data(of: content).count)") }
    Self.say("\(try await store.verifyAttachments().isWhole)")
    do {
      _ = try await store.attach(Data("new".utf8))
    } catch let error as StoreError {
      Self.say("\(error.code)")
    }
  }

  /// Attaches so many megabytes from a stream, reads them as one, and says how far it got and how much memory it took.
  func large(_ megabytes: Int) async throws {
    let store = try Store(at: path, for: Parcel.self)
    let progress = Progress()
    let before = try Self.residentBytes()
    let content = try await store.attach(Megabytes(count: megabytes)) { progress.bytes.store($0, ordering: .relaxed) }
    try await store.save(Parcel(id: 1, content: content))
    var count = 0
    for try await chunk in store.bytes(of: content) { count += chunk.count }
    Self.say("\(progress.bytes.load(ordering: .relaxed)) \(count)")
    Self.say("\(try Self.residentBytes() - before)")
  }
}

private final class Progress: Sendable {
  let bytes = Atomic<Int>(0)
}

/// So many megabytes, one after another.
private struct Megabytes: AsyncSequence, AsyncIteratorProtocol {
  let count: Int
  var position = 0

  init(count: Int) { self.count = count }

  func makeAsyncIterator() -> Megabytes { self }

  mutating func next() async -> [UInt8]? {
    guard position < count else { return nil }
    position += 1
    return [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: 1 << 20)
  }
}
