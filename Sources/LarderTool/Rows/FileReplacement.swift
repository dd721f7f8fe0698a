import Foundation
import Larder

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Puts another file, with its attachments, in the place of a store's file.
///
/// The old file is moved aside, and deleted last. If the system ends the process between two moves, the old file and the
/// new one are whole beside the place.
struct FileReplacement {
  private let path: String
  /// What belongs to a store's file beside it, the file last. A log that stayed would be read into the new file, and
  /// a program that finds no file would make an empty one.
  private static let suffixes = [".attachments", "-journal", "-shm", "-wal", ""]

  init(_ path: String) { self.path = path.realPath }

  /// - Parameters:
  ///   - force: Whether a file that is there is replaced.
  ///   - make: Creates the new file at the path that it gets.
  func run(force: Bool, _ make: (_ path: String) async throws -> Void) async throws {
    guard let old = Self.rest(of: path) else { return try await make(path) }
    guard force else {
      throw Failure("There is already \(old). Choose another name, or use --force to replace it.")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure("\(path) is a folder. Give the path of a file in it.")
    }
    try await checkIsUnused()
    let mark = UUID().uuidString
    let (new, aside) = ("\(path).\(mark).restored", "\(path).\(mark).replaced")
    do {
      try await make(new)
      // Who interrupts the command while the new file is made wants the old one.
      try Task.checkCancellation()
    } catch {
      Self.remove(new)
      throw error
    }
    do {
      try Self.move([(path, aside), (new, path)])
    } catch {
      Self.remove(new)
      let state = Self.rest(of: aside).map { "A part of it is at \($0)" } ?? "It is as it was"
      throw Failure("\(path) can't be replaced: \(error.localizedDescription) \(state).")
    }
    // The old file may go once the new one has its name on the disk.
    Self.sync(folderOf: path)
    Self.remove(aside)
    if let rest = Self.rest(of: aside) {
      StandardError.write("larder: \(DisplayText.escaped(rest)) belongs to the old file and can't be removed.\n")
    }
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
    if isLocked || Self.isThere(path + "-wal") {
      throw Failure("\(path) is open in another program. Close it there, then try again.")
    }
  }

  // MARK: Files

  private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Returns a path at which something of a file is.
  private static func rest(of path: String) -> String? { suffixes.map { path + $0 }.first(where: isThere) }

  /// Moves files with all that belongs to them, one after another. If one can't be moved, those before it go back.
  private static func move(_ files: [(from: String, to: String)]) throws {
    var moved: [(from: String, to: String)] = []
    do {
      for (from, to) in files {
        for suffix in suffixes where isThere(from + suffix) {
          try FileManager.default.moveItem(atPath: from + suffix, toPath: to + suffix)
          moved.append((from + suffix, to + suffix))
        }
      }
    } catch {
      for (from, to) in moved.reversed() { try? FileManager.default.moveItem(atPath: to, toPath: from) }
      throw error
    }
  }

  private static func remove(_ path: String) {
    for suffix in suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  private static func sync(folderOf path: String) {
    let descriptor = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}
