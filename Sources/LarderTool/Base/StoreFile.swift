import ArgumentParser
import Foundation
import Larder

/// The file that a verb works on.
struct StoreFile: ParsableArguments {
  @Argument(help: "The file.", completion: .file())
  var file: String

  /// Opens the file to read it.
  func reading() throws -> Store { try Self.open(file, .readOnly) }

  /// Opens the file to change it.
  func writing() throws -> Store { try Self.open(file, .readWrite) }

  /// Opens a file as what it is: Larder's own with all its rules, any other with those of SQLite's schema.
  ///
  /// - Throws: ``Failure`` for a path where there is no file; `StoreError` for a file that can't be opened.
  static func open(_ path: String, _ access: Store.Configuration.Access) throws -> Store {
    try check(path)
    if access == .readWrite { expectAttachments() }
    do {
      return try Store(at: path, configuration: Store.Configuration(schema: .existing, access: access))
    } catch let error as StoreError where error.code == .notAStore {
      throw Failure("\(path) isn't an SQLite database. Check the path.")
    }
  }

  /// A program that never had an attachment writes none, and its stores don't look for them. What is imported may name
  /// some.
  private static func expectAttachments() {
    let digest = String(repeating: "0", count: 64)
    _ = try? JSONDecoder().decode(Attachment.self, from: Data(#"{"larder.attachment":"\#(digest)","size":0}"#.utf8))
  }

  private static func check(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure("There is no file \(path). Check the path.")
    }
    guard !isFolder.boolValue else { throw Failure("\(path) is a folder. Give the path of a file in it.") }
    // Whoever opens a pipe waits until somebody writes to it.
    let values = try? URL(filePath: path).resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
    guard values?.isRegularFile != false else { throw Failure("\(path) isn't a regular file. Check the path.") }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Failure("\(path) may not be read. Give this user read access to it.")
    }
  }
}

extension Store {
  /// Calls the closure with the store, and closes the store afterwards, so that SQLite empties its log.
  func closing<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(self)
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }
}
