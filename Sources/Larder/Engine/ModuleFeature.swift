/// A part of the store's work that another module of this package does, such as sync.
///
/// It is created by the options of a store, and sees less than a ``StoreFeature``: what it needs beyond that, it does
/// with triggers and tables of its own.
package protocol ModuleFeature: AnyObject, Sendable {
  /// The module's name. ``ModuleConnection/setInUse(_:_:)`` records it in a file that must not be migrated without the
  /// module.
  static var name: String { get }

  /// Creates the feature of a store.
  init()

  /// Called in the transaction of a migration, before a table is changed.
  func willMigrate(_ connection: ModuleConnection) throws

  /// Called each time a managed store is opened for writing, outside of a transaction, when all tables match the models.
  func didOpen(_ connection: ModuleConnection) throws
}
