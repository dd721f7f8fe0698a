public import Foundation

/// The parts that a document is to have after a change; nothing is written before the change is complete.
public struct DocumentParts {
  /// What one part may cost its reader.
  let limits: Archive.Limits
  /// What each part becomes; nil where it is removed.
  var changes: [String: Data?] = [:]
  /// Whether the parts that are not named here go.
  var replacesAll = false

  init(limits: Archive.Limits) {
    self.limits = limits
  }

  /// Sets a part to bytes, kept as a plain file of this name.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, and `.limitExceeded` for more bytes than the folder's limits let anybody read. Writes nothing yet; the bytes stay in memory until the change is complete.
  public mutating func setData(_ data: Data, for name: String) throws {
    try PartName.check(name)
    guard data.count <= limits.size else {
      throw ArchiveError(
        .limitExceeded, keyPath: name,
        "The part has \(data.count) bytes; at most \(limits.size) can be read. Raise Archive.Limits.size of the folder if that is meant to be.")
    }
    changes[name] = .some(data)
  }

  /// Sets a part to an archive of a value.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, and what ``Archive/encode(_:limits:userInfo:)`` throws. Writes nothing yet.
  public mutating func setValue(_ value: some Encodable, for name: String, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    try PartName.check(name)
    changes[name] = .some(try Archive.encode(value, limits: limits, userInfo: userInfo))
  }

  /// Takes a part away; one that is not there is no error. Throws ``ArchiveError`` `.invalidName`.
  public mutating func remove(_ name: String) throws {
    try PartName.check(name)
    changes[name] = .some(nil)
  }
}
