public import Foundation
public import SystemPackage

/// Where a store's file is: a path as `String`, `URL` or `FilePath`.
public protocol StoreLocation: Sendable {
  /// The path in the file system.
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
