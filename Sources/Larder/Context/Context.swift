/// A unit of work: changes that are kept together until they are saved or given up, and that every query sees before.
///
/// ```swift
/// let context = Context(store)
/// context.insert(note)
/// let notes = try context.fetch(Note.all)  // with the new one
/// try context.save()
/// ```
///
/// A context has a connection of its own, and works where it was made: it is not `Sendable`. Its calls block their thread for as long as SQLite
/// takes, ``save()`` also while others write.
public final class Context: StoreWriter {
  private let store: Store
  /// What to do with rows that somebody else changed.
  public let mergePolicy: MergePolicy
  let parent: Context?
  private(set) var opened: (connection: ContextConnection, layer: ContextLayer)?
  /// Why there is no connection; what cannot be thrown at once is thrown by the next call that can.
  private var failures: [any Error] = []

  /// Makes a context over a store. It opens its connection when it is first used.
  ///
  /// - Parameters:
  ///   - store: The store; the context keeps it open.
  ///   - mergePolicy: What ``save()`` does with rows that somebody else changed; it throws by default.
  public init(_ store: Store, mergePolicy: MergePolicy = .error) {
    self.store = store
    self.mergePolicy = mergePolicy
    parent = nil
  }

  private init(on parent: Context, mergePolicy: MergePolicy) {
    store = parent.store
    self.mergePolicy = mergePolicy
    self.parent = parent
  }

  deinit {
    guard let opened, parent != nil else { return }
    opened.connection.remove(opened.layer)
  }

  /// A context over this one: it sees what is pending here, later changes as well, and saves into it. ``save()`` is one step of this context's.
  ///
  /// - Parameter mergePolicy: What the child does with rows that this context changed meanwhile; as this context by default.
  public func child(mergePolicy: MergePolicy? = nil) -> Context {
    Context(on: self, mergePolicy: mergePolicy ?? self.mergePolicy)
  }

  /// The connection and the layer, opened where they are not yet.
  func open() throws -> (connection: ContextConnection, layer: ContextLayer) {
    if store.isClosed { throw StoreError.closed }
    if let opened { return opened }
    let connection = try parent?.open().connection ?? ContextConnection(store)
    let layer = try connection.makeLayer(on: try parent?.open().layer)
    opened = (connection, layer)
    return (connection, layer)
  }

  /// What the context has done so far; nil before it was used.
  var layer: ContextLayer? { opened?.layer }

  public func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result {
    let (connection, layer) = try open()
    try connection.activate(layer)
    let wasReadOnly = connection.connection.isReadOnly
    // SQL that writes is a step, as every change is.
    connection.connection.isReadOnly = layer.open == nil
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

  /// What the context could not keep since it was last saved: ``save()`` throws the first of them. Undoing the step, and ``rollback()``, forget it.
  public var refusals: [any Error] { failures + (layer?.refusals ?? []) }

  /// Remembers that a verb could not do what was asked, as a step of its own or of the one at work.
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
