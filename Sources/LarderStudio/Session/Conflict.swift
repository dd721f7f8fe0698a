import Foundation
import Larder

/// A row that the program has changed since this window did.
///
/// Other properties of the row, or the same ones to the same values, may be changed on both sides: both changes stay.
struct Conflict: Encodable, Sendable {
  let table: String
  let title: String
  let key: RowKey
  let label: String
  /// What tells the store's row from what it was before and will be later.
  let version: String
  /// Whether the row is gone on one of the sides.
  let isDeletedHere: Bool
  let isDeletedThere: Bool
  /// The values that were changed on both sides: before is the store's, after is this window's.
  let differences: [UnsavedChange.Difference]

  /// Creates the conflict of a row; nil if there is none.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - table: Its table.
  ///   - before: What the store had of it when the window changed it, or when the user decided about a conflict.
  ///   - mine: What the window has of it.
  ///   - theirs: What the store has of it now.
  init?(
    _ row: TouchedRow, in table: TableDescription, since before: StoredVersion, mine: StoredVersion,
    theirs: StoredVersion
  ) {
    guard before != mine, before != theirs, mine != theirs, let shown = mine.row ?? theirs.row else { return nil }
    isDeletedHere = mine.row == nil
    isDeletedThere = theirs.row == nil
    let differences = table.differences(from: theirs, to: mine)
    let changed = table.changes(from: before, to: theirs)
    if isDeletedHere || isDeletedThere {
      guard !changed.isEmpty else { return nil }
      self.differences = []
    } else if before.row == nil {
      self.differences = differences
    } else {
      let both = changed.intersection(table.changes(from: before, to: mine))
      self.differences = differences.filter { both.contains($0.property) }
      guard !self.differences.isEmpty else { return nil }
    }
    self.table = table.name
    title = table.title
    key = row.key
    label = table.label(of: shown)
    version = theirs.name
  }
}

extension Session {
  /// Returns the conflict of a row; nil if there is none.
  func conflict(of row: TouchedRow) throws -> Conflict? {
    guard let before = touched[row] else { return nil }
    let mine = try StoredVersion(row, from: context)
    guard mine != before else { return nil }
    return Conflict(row, in: try context.table(row.table), since: before, mine: mine, theirs: try stored(row))
  }
}

extension StoredVersion {
  /// What tells versions of a row apart, as long as the studio runs.
  var name: String { String(hashValue) }
}

extension TableDescription {
  /// Returns the names of the properties that somebody has changed between two versions of a row. What the file computes
  /// isn't among them.
  func changes(from before: StoredVersion, to after: StoredVersion) -> Set<String> {
    var names: Set<String> = []
    for property in properties where !property.isDerived {
      if (before.row?[property.name] ?? .null) != (after.row?[property.name] ?? .null) { names.insert(property.name) }
    }
    if before.expires != after.expires { names.insert(UnsavedChange.expires) }
    return names
  }
}
