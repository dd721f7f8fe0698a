public import Foundation
public import SystemPackage

/// The location of a store's file: a `String`, `URL` or `FilePath`.
public protocol StoreLocation: Sendable {
  /// The location as a path in the file system.
  var storePath: String { get }
}

extension String: StoreLocation {
  public var storePath: String { self }
}

extension URL: StoreLocation {
  public var storePath: String { path(percentEncoded: false) }
}

extension SystemPackage.FilePath: StoreLocation {
  public var storePath: String { string }
}

#if canImport(System)
public import System

extension System.FilePath: StoreLocation {
  public var storePath: String { string }
}
#endif

/// What a path has to be so that it leads to one file, and to the same one for SQLite and for the system.
enum StorePath {
  /// Returns the error for a path that cannot be that of a file, or nil.
  ///
  /// - Parameter owner: What the path belongs to, for the message.
  static func refusal(of path: String, _ owner: String = "store") -> StoreError? {
    // SQLite would open a temporary database, one in memory, or the file that a URI names.
    if path.isEmpty {
      return StoreError(.unsupported, "The \(owner)'s path is empty. Give the path of a file.")
    }
    if path == ":memory:" {
      return StoreError(.unsupported, ":memory: is no file. Create a store in memory with Store(inMemoryFor:).")
    }
    if path.hasPrefix("file:") {
      return StoreError(.unsupported, "The \(owner)'s path is a URI. Give a URL value, or the path alone.")
    }
    if path.utf8.contains(0) {
      return StoreError(.unsupported, "The \(owner)'s path has a NUL, at which the system would end it. Remove it.")
    }
    if path.utf8.last == UInt8(ascii: "/") {
      return StoreError(.notAStore, "The \(owner)'s path is a folder. Give the path of a file in it.")
    }
    return nil
  }
}
