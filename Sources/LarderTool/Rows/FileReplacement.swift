import Foundation
import Larder

/// Puts another file, with its attachments, in the place of a store's file.
///
/// The old file is moved aside first, and deleted last: whenever the process ends, one of the two is whole.
struct FileReplacement {
  private let path: String
  /// What belongs to a store's file beside it. A log that stayed would be read into the new file.
  private static let suffixes = ["", "-wal", "-shm", "-journal", ".attachments"]

  init(_ path: String) { self.path = path }

  /// - Parameters:
  ///   - force: Whether a file that is there is replaced.
  ///   - make: Creates the new file at the path that it gets.
  func run(force: Bool, _ make: (_ path: String) throws -> Void) async throws {
    let old = Self.suffixes.filter { FileManager.default.fileExists(atPath: path + $0) }
    guard !old.isEmpty else { return try make(path) }
    guard force else {
      throw Failure("There is already \(path + old[0]). Choose another name, or use --force to replace it.")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure("\(path) is a folder. Give the path of a file in it.")
    }
    try await checkIsUnused()
    let mark = UUID().uuidString
    let (new, aside) = ("\(path).\(mark).restored", "\(path).\(mark).replaced")
    do {
      try make(new)
    } catch {
      Self.remove(new)
      throw error
    }
    do {
      try Self.move(path, to: aside)
      try Self.move(new, to: path)
    } catch {
      // What was moved goes back, so that the old file is whole again.
      if !FileManager.default.fileExists(atPath: path) { try? Self.move(aside, to: path) }
      Self.remove(new)
      throw Failure(
        "The file can't be replaced: \(error.localizedDescription). The old one is at \(path), or beside it at \(aside)."
      )
    }
    Self.remove(aside)
  }

  /// SQLite removes the log when the last connection closes, so one that stays belongs to another program.
  private func checkIsUnused() async throws {
    // A file that can't be opened is what backups are for.
    guard let store = try? Store(at: path, schema: .existing) else { return }
    let isLocked: Bool
    do {
      try store.blocking.write { _ in }
      isLocked = false
    } catch let error as StoreError {
      isLocked = error.code == .busy
    }
    await store.close()
    if isLocked || FileManager.default.fileExists(atPath: path + "-wal") {
      throw Failure("\(path) is open in another program. Close it there, then try again.")
    }
  }

  private static func move(_ path: String, to target: String) throws {
    for suffix in suffixes.reversed() where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
    }
  }

  private static func remove(_ path: String) {
    for suffix in suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}
