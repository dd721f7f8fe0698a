public import Foundation

/// The parts that a document is to have after a change; nothing is written before the change is complete.
public struct DocumentParts {
  /// What each part becomes; nil where it is removed.
  var changes: [String: Data?] = [:]
  /// Whether the parts that are not named here go.
  var replacesAll = false

  /// Sets a part to bytes, kept as a plain file of this name.
  ///
  /// Throws ``ArchiveError`` `.invalidName`. Writes nothing yet; the bytes stay in memory until the change is complete.
  public mutating func setData(_ data: Data, for name: String) throws {
    try PartName.check(name)
    changes[name] = .some(data)
  }

  /// Sets a part to an archive of a value.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, and what ``Archive/encode(_:)`` throws. Writes nothing yet.
  public mutating func setValue(_ value: some Encodable, for name: String) throws {
    try PartName.check(name)
    changes[name] = .some(try Archive.encode(value))
  }

  /// Takes a part away; one that is not there is no error. Throws ``ArchiveError`` `.invalidName`.
  public mutating func remove(_ name: String) throws {
    try PartName.check(name)
    changes[name] = .some(nil)
  }
}
