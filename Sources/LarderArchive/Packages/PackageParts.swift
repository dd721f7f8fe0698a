public import Foundation

/// The parts of a package after a change. The package is unchanged until the change is complete.
///
/// The name of a part may contain folders, as in `images/full.png`.
public struct PackageParts {
  /// The new content of a part.
  enum Content {
    case removed
    case data(Data)
    case staged(StagedPart)
  }

  /// The limits of each part.
  var limits: Archive.Limits { folder.limits }
  let folder: PackageFolder
  /// The new contents by the name of the part.
  private(set) var changes: [String: Content] = [:]
  /// The names removed during the change. What they contained stays removed, even if another part gets the name.
  private var removed: Set<String> = []
  /// Whether the parts that aren't named here are removed.
  var replacesAll = false
  private var spool: PartSpool?

  init(of folder: PackageFolder) {
    self.folder = folder
  }

  /// Sets the data of a part, which is stored as a plain file of this name.
  ///
  /// Nothing is written yet; the data stays in memory until the change is complete. For data that doesn't fit in
  /// memory, use ``setContents(of:for:)`` or ``setContents(for:writing:)``.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - name: The name of the part.
  /// - Throws: ``ArchiveError`` `.invalidName`, and `.limitExceeded` if the data is larger than the folder's limits
  ///   allow to read.
  public mutating func setData(_ data: Data, for name: String) throws {
    try PartName.checkPart(name)
    guard data.count <= limits.size else {
      throw ArchiveError(
        .limitExceeded, keyPath: name,
        "The part has \(data.count) bytes; at most \(limits.size) can be read. Raise Archive.Limits.size of the folder if that is meant to be."
      )
    }
    set(.data(data), for: name)
  }

  /// Sets a part to an archive of a value. Nothing is written yet.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the part.
  ///   - userInfo: The `userInfo` of the encoder.
  /// - Throws: ``ArchiveError`` `.invalidName`, and the errors of ``Archive/encode(_:limits:userInfo:)``.
  public mutating func setValue(
    _ value: some Encodable, for name: String, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try PartName.checkPart(name)
    set(.data(try Archive.encode(value, limits: limits, userInfo: userInfo)), for: name)
  }

  /// Removes a part, or a folder with all its parts. It isn't an error if there is none.
  ///
  /// - Parameter name: The name of the part or folder.
  /// - Throws: ``ArchiveError`` `.invalidName`.
  public mutating func remove(_ name: String) throws {
    try PartName.checkPart(name)
    for inner in changes.keys where Self.folders(of: inner).contains(name) { changes[inner] = nil }
    set(.removed, for: name)
    removed.insert(name)
  }

  /// Returns whether a part of the package stays unchanged.
  func keeps(_ path: String) -> Bool {
    changes[path] == nil && !removed.contains(path) && Self.folders(of: path).allSatisfy { !removed.contains($0) }
  }

  /// Returns the paths of the folders that contain a part.
  private static func folders(of path: String) -> [String] {
    path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.map { String(path[..<$0]) }
  }

  /// Sets the content. A repeated name is stored as written the last time, because it may have another normalization
  /// form.
  mutating func set(_ content: Content, for name: String) {
    changes[name] = nil
    changes[name] = content
  }

  /// Creates the hidden folder for the parts of this change that don't stay in memory.
  mutating func makeSpool() throws -> PartSpool {
    if let spool { return spool }
    let made = try PartSpool(in: folder)
    spool = made
    return made
  }
}
