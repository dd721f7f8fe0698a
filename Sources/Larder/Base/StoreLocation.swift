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
