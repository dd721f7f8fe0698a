import Foundation
public import Larder

/// Opens a new store in a temporary folder, calls the closure with it, and removes the folder whether the closure throws or not.
///
/// ```swift
/// try await withTemporaryStore(for: Note.self) { store in
///   try await store.insert(Note(title: "Milk"))
///   #expect(try await store.count(Note.all) == 1)
/// }
/// ```
///
/// - Parameters:
///   - models: The models that the store keeps.
///   - configuration: How the store is opened.
///   - body: What to do with the store.
/// - Throws: What opening the store and the closure throw.
public func withTemporaryStore<Result>(
  for models: any Model.Type..., configuration: Store.Configuration = .init(), isolation: isolated (any Actor)? = #isolation,
  _ body: (Store) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(try Store(at: folder.storeFile, for: models, configuration: configuration))
}

/// The same for synchronous code, which uses `store.blocking`.
public func withTemporaryStore<Result>(
  for models: any Model.Type..., configuration: Store.Configuration = .init(), _ body: (Store) throws -> Result
) throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try body(try Store(at: folder.storeFile, for: models, configuration: configuration))
}

extension TemporaryFolder {
  /// Where ``withTemporaryStore(for:configuration:isolation:_:)`` keeps its store.
  fileprivate var storeFile: URL { file("test.larder") }
}
