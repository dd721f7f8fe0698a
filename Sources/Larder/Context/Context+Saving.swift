extension Context {
  /// Writes all unsaved changes in one transaction: to the store or, for a child, to its parent.
  ///
  /// It blocks its thread until the store's writer is available and the transaction is done. After an error nothing is
  /// saved, and the context keeps its changes: correct them, or call ``rollback()``.
  ///
  /// - Throws: The first of the ``refusals``; ``StoreError`` `.conflict` if another connection changed a row, with
  ///   ``MergePolicy/error``; `.duplicate` or `.referenced` if a change conflicts with what others wrote meanwhile; and
  ///   the errors of any write.
  /// - Complexity: A few statements for each model that has changes, whatever the number of rows.
  public func save() throws {
    try save(mergePolicy: mergePolicy)
  }

  /// Writes all unsaved changes as ``save()`` does, with another policy than that of the context: after a conflict, a
  /// person may choose.
  ///
  /// - Parameter policy: What happens to rows that another connection changed.
  /// - Throws: The errors of ``save()``.
  public func save(mergePolicy policy: MergePolicy) throws {
    if let refusal = refusals.first { throw refusal }
    guard let layer else { return }
    let connection = try open().connection
    // What is written to the store cannot be taken back by a child's step that fails.
    guard layer.open == nil, parent != nil || !connection.isInStep else { throw StoreError.insideStep("save()") }
    try connection.activate(layer)
    if try connection.hasPending(in: layer) {
      if let parent {
        try parent.keep(layer, policy)
      } else {
        try connection.save(layer, policy)
      }
    } else {
      // Rows that are read from now on are compared as they are then, as after any other save.
      connection.changeableVersions(of: layer).didRollBack()
    }
    layer.savedCount = layer.steps.count
    observers.notify()
  }

  /// Adopts the unsaved changes of a child, as one step.
  private func keep(_ child: ContextLayer, _ policy: MergePolicy) throws {
    let (connection, layer) = try open()
    let number: Int
    if let step = layer.open {
      number = step.number
    } else {
      layer.clock += 1
      number = layer.clock
      try connection.setStep(number, of: layer)
    }
    try connection.save(child, into: layer, policy, inStep: number)
    if layer.open == nil { push(ContextLayer.Step(number: number), to: layer) }
  }
}
