/// The statements of a model that each connection caches.
enum ModelStatementKind: UInt8, Sendable, Hashable {
  case find, insert, upsert, update, delete, fetchAll
}
