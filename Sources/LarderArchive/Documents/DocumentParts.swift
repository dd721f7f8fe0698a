public import Foundation

/// The parts that a document is to have after a change; the document itself is as it was until the change is complete.
///
/// The name of a part may have folders before it, as in `images/full.png`.
public struct DocumentParts {
  /// What a part becomes.
  enum Content {
    case removed
    case data(Data)
    case staged(StagedPart)
  }

  /// What one part may cost its reader.
  var limits: Archive.Limits { folder.limits }
  let folder: DocumentFolder
  /// What each part becomes.
  private(set) var changes: [String: Content] = [:]
  /// What was removed at any time in the change: what was in it before stays away, even if something else gets its name.
  private var removed: Set<String> = []
  /// Whether the parts that are not named here go.
  var replacesAll = false
  private var spool: PartSpool?

  init(of folder: DocumentFolder) {
    self.folder = folder
  }

  /// Sets a part to bytes, kept as a plain file of this name.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, and `.limitExceeded` for more bytes than the folder's limits let anybody read. Writes nothing yet; the
  /// bytes stay in memory until the change is complete. What does not fit in memory is set with ``setContents(of:for:)`` or
  /// ``setContents(for:writing:)``.
  public mutating func setData(_ data: Data, for name: String) throws {
    try PartName.checkPart(name)
    guard data.count <= limits.size else {
      throw ArchiveError(
        .limitExceeded, keyPath: name,
        "The part has \(data.count) bytes; at most \(limits.size) can be read. Raise Archive.Limits.size of the folder if that is meant to be.")
    }
    set(.data(data), for: name)
  }

  /// Sets a part to an archive of a value.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, and what ``Archive/encode(_:limits:userInfo:)`` throws. Writes nothing yet.
  public mutating func setValue(_ value: some Encodable, for name: String, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    try PartName.checkPart(name)
    set(.data(try Archive.encode(value, limits: limits, userInfo: userInfo)), for: name)
  }

  /// Takes a part away, or a folder with all parts in it; what is not there is no error. Throws ``ArchiveError`` `.invalidName`.
  public mutating func remove(_ name: String) throws {
    try PartName.checkPart(name)
    for inner in changes.keys where Self.folders(of: inner).contains(name) { changes[inner] = nil }
    set(.removed, for: name)
    removed.insert(name)
  }

  /// Whether a part of the document stays as it is.
  func keeps(_ path: String) -> Bool {
    changes[path] == nil && !removed.contains(path) && Self.folders(of: path).allSatisfy { !removed.contains($0) }
  }

  /// The paths of the folders that a part lies in.
  private static func folders(of path: String) -> [String] {
    path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.map { String(path[..<$0]) }
  }

  /// A name that is set again has the spelling of the last time: the same text may be written in two normal forms.
  mutating func set(_ content: Content, for name: String) {
    changes[name] = nil
    changes[name] = content
  }

  /// The hidden folder for the parts of this change that do not stay in memory.
  mutating func makeSpool() throws -> PartSpool {
    if let spool { return spool }
    let made = try PartSpool(in: folder)
    spool = made
    return made
  }
}
