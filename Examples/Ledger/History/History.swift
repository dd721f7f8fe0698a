import Foundation
import Larder

/// The changes that can be undone and redone. They are rows of the same file, written in the transactions of the
/// changes themselves, so they hold after a restart and in every window.
///
/// Each step keeps the few rows that it found and left; an app whose history may end with its process has
/// `Context.undo()` for it.
enum History {
  /// So many changes can be undone.
  static let depth = 200

  /// Every change, the newest first.
  static var steps: Query<Step> { Step.all.sorted(by: \.id, order: .reverse) }

  private static var done: Query<Step> { steps.where { !$0.isUndone } }
  private static var undone: Query<Step> { Step.where { $0.isUndone }.sorted(by: \.id) }

  /// Notes a change that was made in this transaction. What was undone before it can no longer be redone.
  static func record(_ title: String, before: LedgerRows, after: LedgerRows, in db: some StoreWriter) throws {
    let step = Step(title: title)
    try db.deleteAll(undone)
    try db.insert(step)
    try db.insert(StepRows(step: ToOne(step), before: before, after: after))
    if let oldest = try db.first(done.limit(1, offset: depth)) {
      try db.deleteAll(Step.where { $0.id <= oldest.id })
    }
  }

  /// Takes back the last change and tells which it was; nil if there is none.
  static func undo(in db: some StoreWriter) throws -> Step? {
    try move(db.first(done), in: db) { try db.replace($0.after, with: $0.before) }
  }

  /// Does the change again that was undone last and tells which it was; nil if there is none.
  static func redo(in db: some StoreWriter) throws -> Step? {
    try move(db.first(undone), in: db) { try db.replace($0.before, with: $0.after) }
  }

  /// Forgets all changes. After an import, undo of an earlier one could delete or overwrite what the import has brought.
  static func forget(in db: some StoreWriter) throws {
    try db.deleteAll(Step.all)
  }

  private static func move(_ step: Step?, in db: some StoreWriter, _ apply: (StepRows) throws -> Void) throws -> Step? {
    guard var step, let rows = try db.first(step.rows.all) else { return nil }
    try apply(rows)
    step.isUndone.toggle()
    try db.update(step)
    return step
  }

  /// What undo and redo would do, for their buttons.
  struct Outlook: Encodable, Equatable, Sendable {
    let undo: String?
    let redo: String?
  }

  static func outlook(in db: some StoreReader) throws -> Outlook {
    Outlook(undo: try db.first(done)?.title, redo: try db.first(undone)?.title)
  }
}
