extension LiveList {
  /// Creates the list of a query's rows as a context sees them, with changes that aren't saved.
  ///
  /// ``insert(_:isolation:)``, ``save(_:isolation:)`` and ``remove(at:isolation:)`` change the context; what they change
  /// is saved with the context. They don't throw what the context refuses: see ``Context/refusals``.
  ///
  /// - Parameters:
  ///   - query: The condition, order and inclusions of the rows.
  ///   - context: The context, which belongs to the same actor.
  ///   - isolation: The actor to which the list belongs, by default that of the caller.
  public convenience init(_ query: Query<M>, in context: Context, isolation: isolated (any Actor)? = #isolation) {
    self.init(query, source: ContextSource(context: context), isolation: isolation)
  }
}

private struct ContextSource<M: Model>: LiveListSource {
  let context: Context

  func results(of query: Query<M>) -> any AsyncSequence<[M], any Error> { context.live(query) }

  func insert(_ value: M, isolation: isolated (any Actor)?) async throws { context.insert(value) }

  func save(_ value: M, isolation: isolated (any Actor)?) async throws { try context.save(value) }

  func delete(_ values: [M], isolation: isolated (any Actor)?) async throws { context.delete(values) }
}
