#if canImport(SwiftUI)
public import SwiftUI

/// The rows of a query in a SwiftUI view, which is updated as the store changes.
///
/// ```swift
/// struct NoteList: View {
///   @LiveQuery(Note.all.sorted(by: \.title)) var notes
///   var body: some View { List(notes) { Text($0.title) } }
/// }
///
/// NoteList().environment(\.larderStore, store)
/// ```
///
/// The view's environment names the store. `$notes` is the ``LiveList``, with its error and its methods.
@MainActor
@propertyWrapper
public struct LiveQuery<M: Model>: @preconcurrency DynamicProperty {
  private let query: Query<M>
  @Environment(\.larderStore) private var store
  @State private var list: LiveList<M>?
  /// The store whose rows the list shows.
  @State private var shown: Store?

  /// Creates the property.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  public init(_ query: Query<M>) {
    self.query = query
  }

  /// The newest rows; empty until they are read, and without a store.
  public var wrappedValue: [M] { list?.rows ?? [] }

  /// The list; nil without a store in the environment.
  public var projectedValue: LiveList<M>? { list }

  /// Follows the store of the environment. SwiftUI calls it before it asks for the view's body.
  ///
  /// A query that failed is not tried again until it changes; `$notes.show(_:)` tries it again.
  public func update() {
    guard let store else { return }
    guard let list, shown === store else {
      (self.list, shown) = (LiveList(query, in: store), store)
      return
    }
    if list.query != query { list.show(query) }
  }
}

extension EnvironmentValues {
  /// The store whose rows ``LiveQuery`` shows.
  @Entry public var larderStore: Store?
}
#endif
