import Foundation
import Larder
import LarderArchive
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

  /// Exports and imports an attachment of so many megabytes, and says how much memory that took at most.
  func exportLarge(_ megabytes: Int) async throws {
    let url = URL(fileURLWithPath: path)
    let folder = try PackageFolder(at: url.appendingPathExtension("packages"), extension: "parcel")
    let store = try Store(at: path, for: Parcel.self)
    let other = try Store(at: path + ".other", for: Parcel.self)
    let content = try await store.attach(Megabytes(count: megabytes))
    let parcel = Parcel(id: 1, content: content)
    try await store.save(parcel)
    // Linux forgets the peak so far.
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try Self.peakBytes()
    let package = try await store.export(parcel, to: folder)
    try await other.importPackage(package, as: Parcel.self)
    let peak = try Self.peakBytes()
    var count = 0
    for try await chunk in other.bytes(of: content) { count += chunk.count }
    Self.say("\(count)")
    Self.say("\(peak - before)")
  }

  /// Exports and imports on a disk without space for it, says what that has left, makes room and does it again.
  func exportToFullDisk() async throws {
    let url = URL(fileURLWithPath: path).appendingPathExtension("packages")
    let folder = try PackageFolder(at: url, extension: "parcel")
    let store = try Store(at: path, for: Parcel.self)
    let other = try Store(at: path + ".other", for: Parcel.self)
    try await other.save(Parcel(id: 2, content: try await other.attach(Data("here".utf8))))
    let parcel = Parcel(id: 1, content: try await store.attach(Data(repeating: 1, count: 700_000)))
    try await store.save(parcel)
    let package = try await store.export(parcel, to: folder)
    let ballast = fillDisk(leaving: 3)
    for _ in 0..<2 {
      do {
        _ = try await store.export(parcel, to: folder)
        Self.say("exported")
      } catch let error as ArchiveError {
        Self.say("export: \(error.code)")
      }
      do {
        try await other.importPackage(package, as: Parcel.self)
        Self.say("imported")
      } catch let error as StoreError {
        Self.say("import: \(error.code)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != ".larder-lock" }
      let drafts = try FileManager.default.contentsOfDirectory(atPath: path + ".other.attachments/tmp")
      Self.say("\(names.count) packages, \(try await other.count(Parcel.all)) rows, \(drafts.count) drafts")
      for file in ballast { try? FileManager.default.removeItem(atPath: file) }
    }
  }

  /// Fills the disk with files of 100,000 bytes, and leaves the space of so many of them.
  private func fillDisk(leaving count: Int) -> [String] {
    var files: [String] = []
    while true {
      let file = path + ".ballast\(files.count)"
      files.append(file)
      guard FileManager.default.createFile(atPath: file, contents: Data(count: 100_000)) else { break }
    }
    for file in files.suffix(count + 1) { try? FileManager.default.removeItem(atPath: file) }
    return files
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
