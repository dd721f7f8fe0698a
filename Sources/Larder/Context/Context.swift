/// A unit of work: changes that are kept in memory until they are saved or rolled back, and that its queries already
/// see.
///
/// ```swift
/// let context = Context(store)
/// context.insert(note)
/// let notes = try context.fetch(Note.all)  // with the new one
/// try context.save()
/// ```
///
/// A context has its own connection and isn't `Sendable`: use it where it was created. Its calls block their thread as
/// long as SQLite takes; ``save()`` also waits for other writers.
public final class Context: StoreWriter {
  let store: Store
  /// Those who follow this context, its parents and its children.
  let observers: ContextObservers
  /// What ``save()`` does with rows that another connection changed.
  public let mergePolicy: MergePolicy
  let parent: Context?
  private(set) var opened: (connection: ContextConnection, layer: ContextLayer)?
  /// Why there is no connection. An error that can't be thrown immediately is thrown by the next call that can throw.
  private var failures: [any Error] = []

  /// Creates a context for a store. It opens its connection when it is first used.
  ///
  /// - Parameters:
  ///   - store: The store, which the context keeps open.
  ///   - mergePolicy: What ``save()`` does with rows that another connection changed; by default it throws.
  public init(_ store: Store, mergePolicy: MergePolicy = .error) {
    self.store = store
    self.mergePolicy = mergePolicy
    observers = ContextObservers()
    parent = nil
  }

  private init(on parent: Context, mergePolicy: MergePolicy) {
    store = parent.store
    self.mergePolicy = mergePolicy
    observers = parent.observers
    self.parent = parent
  }

  deinit {
    guard let opened, parent != nil else { return }
    opened.connection.remove(opened.layer)
  }

  /// Creates a child context, which sees the unsaved changes of this one, including later ones, and saves into it.
  ///
  /// The child's ``save()`` is one undoable step of this context.
  ///
  /// - Parameter mergePolicy: What the child does with rows that this context changed meanwhile; by default the policy
  ///   of this context.
  /// - Returns: The child context.
  public func child(mergePolicy: MergePolicy? = nil) -> Context {
    Context(on: self, mergePolicy: mergePolicy ?? self.mergePolicy)
  }

  /// Returns the connection and the layer of changes, and opens them if necessary.
  func open() throws -> (connection: ContextConnection, layer: ContextLayer) {
    if store.isClosed { throw StoreError.closed }
    if let opened { return opened }
    let connection = try parent?.open().connection ?? ContextConnection(store)
    let layer = try connection.makeLayer(on: try parent?.open().layer, mergePolicy)
    opened = (connection, layer)
    return (connection, layer)
  }

  /// The unsaved changes and steps; nil before the context was used.
  var layer: ContextLayer? { opened?.layer }

  public func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result {
    let (connection, layer) = try open()
    try connection.activate(layer)
    let wasReadOnly = connection.connection.isReadOnly
    // SQL that writes is an undoable step, or a part of the current one, like every change.
    connection.connection.isReadOnly = true
    defer { connection.connection.isReadOnly = wasReadOnly }
    do {
      return try body(ReadAccess(connection: connection.connection))
    } catch is WriteNeeded {
      return try changing { try body(ReadAccess(connection: $0.connection)) }
    }
  }

  public func _write<Result>(isAtomic: Bool, _ body: (WriteAccess) throws -> Result) throws -> Result {
    try changing { try body(WriteAccess(connection: $0.connection)) }
  }

  // MARK: Refusals

  /// The errors of changes that the context couldn't make since it was last saved.
  ///
  /// ``save()`` throws the first of them. Undoing the step, and ``rollback()``, remove them.
  public var refusals: [any Error] { failures + (layer?.refusals ?? []) }

  /// Records the error of a change, as a step of its own or of the current one.
  func refuse(_ error: any Error) {
    guard let layer else { return failures.append(error) }
    if layer.open != nil {
      layer.open?.refusals.append(error)
    } else {
      layer.clock += 1
      push(ContextLayer.Step(number: layer.clock, refusals: [error]), to: layer)
    }
  }

  func forgetFailures() {
    failures.removeAll()
  }
}
