public import Observation

/// The current result of a live query for user interfaces: an observable object that follows the store.
///
/// ```swift
/// @MainActor let unread = LiveValue(store.live { db in try db.count(Note.where { !$0.isRead }) })
/// ```
///
/// It belongs to the actor that creates it, such as the main actor, and changes there: SwiftUI, and whoever else uses
/// `withObservationTracking`, hears of each change. It ends with its last reference. For the rows of a query see
/// ``LiveList``.
@Observable
public final class LiveValue<Value: Sendable> {
  /// The newest result; nil until the first one is there.
  public private(set) var value: Value?
  /// The error that ended the results; nil while they go on.
  public private(set) var error: (any Error)?
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Creates the value of live results, which are read from now on.
  ///
  /// - Parameters:
  ///   - results: What one of the methods called `live` returns.
  ///   - isolation: The actor to which the object belongs, by default that of the caller.
  public init(_ results: LiveResults<Value>, isolation: isolated (any Actor)? = #isolation) {
    task = Task { [weak self] in
      // Makes the closure belong to the caller's actor.
      _ = isolation
      do {
        for try await value in results { self?.value = value }
      } catch {
        self?.error = error
      }
    }
  }

  deinit { task?.cancel() }
}
