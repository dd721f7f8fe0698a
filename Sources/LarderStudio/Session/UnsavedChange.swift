import Foundation
import Larder

/// A row that differs from the store, as the list of unsaved changes shows it.
struct UnsavedChange: Encodable, Sendable {
  enum Kind: String, Encodable { case inserted, updated, deleted }

  struct Difference: Encodable, Sendable {
    let property: String
    let before: Cell
    let after: Cell
  }

  /// The greatest number of rows in the list.
  static let limit = 200
  /// What stands for the date on which a row expires, which is no property.
  static let expires = "expires"

  let table: String
  let title: String
  let key: RowKey
  let label: String
  let kind: Kind
  let differences: [Difference]

  /// Creates the change of a row; nil if both versions are the same.
  init?(_ row: TouchedRow, in table: TableDescription, from before: StoredVersion, to after: StoredVersion) {
    guard before != after, let shown = after.row ?? before.row else { return nil }
    self.table = table.name
    title = table.title
    key = row.key
    label = table.label(of: shown)
    kind = before.row == nil ? .inserted : after.row == nil ? .deleted : .updated
    differences = kind == .updated ? table.differences(from: before, to: after) : []
  }
}

extension TableDescription {
  /// Returns the properties in which two versions of a row differ. A row that isn't there has no values.
  func differences(from before: StoredVersion, to after: StoredVersion) -> [UnsavedChange.Difference] {
    let values = properties.compactMap { property -> UnsavedChange.Difference? in
      let (old, new) = (before.row?[property.name] ?? .null, after.row?[property.name] ?? .null)
      guard old != new else { return nil }
      return UnsavedChange.Difference(
        property: property.name, before: Cell(old, of: property, limit: Cell.listed),
        after: Cell(new, of: property, limit: Cell.listed))
    }
    guard before.expires != after.expires else { return values }
    func cell(_ date: Date?) -> Cell { date.map { .text($0.studioText) } ?? .null }
    return values + [
      UnsavedChange.Difference(
        property: UnsavedChange.expires, before: cell(before.expires), after: cell(after.expires))
    ]
  }
}

/// What the page shows of a window's work.
struct WorkSummary: Encodable, Sendable {
  let changes: [UnsavedChange]
  /// What the program has changed of the same rows, unless the user has decided about it.
  let conflicts: [Conflict]
  /// Whether there are more than those in the list.
  let hasChanges: Bool
  let canUndo: Bool
  let canRedo: Bool
  /// The row that was just inserted.
  var key: RowKey?
}

extension Session {
  /// The unsaved changes, the newest first, with what the program has written last.
  var summary: WorkSummary {
    get throws {
      // What can't be adopted is refused when it is saved.
      try? adoptLater()
      return try unsaved
    }
  }

  /// The unsaved changes, the newest first.
  var unsaved: WorkSummary {
    get throws {
      var changes: [UnsavedChange] = []
      var conflicts: [Conflict] = []
      var tables: [String: TableDescription] = [:]
      for row in context.hasChanges ? order.reversed() : [] where changes.count < UnsavedChange.limit {
        guard let before = touched[row] else { continue }
        let mine = try StoredVersion(row, from: context)
        guard mine != before else { continue }
        let theirs = try stored(row)
        let table = try tables[row.table] ?? context.table(row.table)
        tables[row.table] = table
        if let conflict = Conflict(row, in: table, since: before, mine: mine, theirs: theirs) {
          conflicts.append(conflict)
        }
        // What the program wrote to a row that the window doesn't change isn't the user's.
        guard mine != theirs, let change = UnsavedChange(row, in: table, from: before, to: mine) else { continue }
        changes.append(change)
      }
      return WorkSummary(
        changes: changes, conflicts: conflicts, hasChanges: context.hasChanges, canUndo: context.canUndo,
        canRedo: context.canRedo)
    }
  }
}
