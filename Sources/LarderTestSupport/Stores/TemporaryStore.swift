import Foundation
public import Larder

/// Opens a new store in a temporary folder, calls the closure with it, and deletes the folder, even if the closure
/// throws.
///
/// ```swift
/// try await withTemporaryStore(for: Note.self) { store in
///   try await store.insert(Note(title: "Milk"))
///   #expect(try await store.count(Note.all) == 1)
/// }
/// ```
///
/// - Parameters:
///   - models: The models of the store.
///   - configuration: The options of the store.
///   - isolation: The actor on which the closure runs, that of the caller by default.
///   - body: The closure.
/// - Returns: What `body` returns.
/// - Throws: What opening the store and the closure throw.
public func withTemporaryStore<Result>(
  for models: any Model.Type..., configuration: Store.Configuration = .init(),
  isolation: isolated (any Actor)? = #isolation,
  _ body: (Store) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(try Store(at: folder.storeFile, for: models, configuration: configuration))
}

/// Opens a new store in a temporary folder for synchronous code, which uses `store.blocking`.
///
/// - Parameters:
///   - models: The models of the store.
///   - configuration: The options of the store.
///   - body: The closure.
/// - Returns: What `body` returns.
/// - Throws: What opening the store and the closure throw.
public func withTemporaryStore<Result>(
  for models: any Model.Type..., configuration: Store.Configuration = .init(), _ body: (Store) throws -> Result
) throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try body(try Store(at: folder.storeFile, for: models, configuration: configuration))
}

extension TemporaryFolder {
  /// The folder of ``withTemporaryStore(for:configuration:isolation:_:)``.
  fileprivate var storeFile: URL { file("test.larder") }
}
