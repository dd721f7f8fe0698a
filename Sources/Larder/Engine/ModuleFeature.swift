/// A part of the store's work that another module of this package does, such as sync.
///
/// It is created by the options of a store, and sees less than a ``StoreFeature``: what it needs beyond that, it does
/// with triggers and tables of its own.
package protocol ModuleFeature: AnyObject, Sendable {
  /// The module's name. ``ModuleConnection/setInUse(_:_:)`` records it in a file that must not be migrated without the
  /// module.
  static var name: String { get }

  /// The columns of the module's own tables that hold values which rows had, and which may name attachments.
  static var heldValues: [(table: String, column: String)] { get }

  /// Creates the feature of a store.
  init()

  /// Called in the transaction of a migration, before a table is changed.
  func willMigrate(_ connection: ModuleConnection) throws

  /// Called each time a managed store is opened for writing, outside of a transaction, when all tables match the models.
  func didOpen(_ connection: ModuleConnection) throws

  /// Returns whether rows of a table may have values that its model lacks, because a program without the model has written them.
  /// ``didOpen(_:)`` takes such rows away.
  func hasUnjudgedRows(inTable name: String, _ connection: ModuleConnection) throws -> Bool

  /// Called in the transaction that has created a collection of documents, before its first document is written.
  func didCreateCollection(_ name: String, _ connection: ModuleConnection) throws

  /// Called in the transaction that removes a collection of documents, while it is still there.
  func willRemoveCollection(_ name: String, _ connection: ModuleConnection) throws

  /// Returns where the data of an attachment is that has not come yet, and how to get it; nil if the module knows
  /// nothing of it.
  func remedy(forMissingAttachment digest: String, _ connection: ModuleConnection) throws -> String?
}

extension ModuleFeature {
  package static var heldValues: [(table: String, column: String)] { [] }
  package func hasUnjudgedRows(inTable name: String, _ connection: ModuleConnection) throws -> Bool { false }
  package func didCreateCollection(_ name: String, _ connection: ModuleConnection) throws {}
  package func willRemoveCollection(_ name: String, _ connection: ModuleConnection) throws {}
  package func remedy(forMissingAttachment digest: String, _ connection: ModuleConnection) throws -> String? { nil }
}
