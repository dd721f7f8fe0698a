extension Context {
  /// Calls the closure and makes all its changes one step to ``undo()``. If the closure throws, its changes are undone.
  ///
  /// Nested steps become part of the outer one.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  @discardableResult
  public func step<Result>(_ body: () throws -> Result) throws -> Result {
    try changing { _ in try body() }
  }

  /// Whether there is a step to undo.
  public var canUndo: Bool { layer?.steps.isEmpty == false && layer?.open == nil }

  /// Whether there is a step to redo.
  public var canRedo: Bool { layer?.undone.isEmpty == false && layer?.open == nil }

  /// Undoes the last step. After ``save()``, the reverse of the step becomes an unsaved change.
  ///
  /// Inside ``step(_:)`` there is nothing to undo.
  ///
  /// - Returns: `true` if there was a step to undo.
  @discardableResult
  public func undo() -> Bool {
    guard canUndo, let layer, let step = layer.steps.last, exchange(step, in: layer) else { return false }
    layer.steps.removeLast()
    layer.undone.append(step)
    return true
  }

  /// Redoes the step that was last undone. A new change discards undone steps.
  ///
  /// - Returns: `true` if there was a step to redo.
  @discardableResult
  public func redo() -> Bool {
    guard canRedo, let layer, let step = layer.undone.last, exchange(step, in: layer) else { return false }
    layer.undone.removeLast()
    layer.steps.append(step)
    return true
  }

  /// Discards all changes since the context was last saved, and the ``refusals``. Earlier steps can still be undone.
  public func rollback() {
    forgetFailures()
    guard let layer else { return }
    guard layer.open == nil else { return refuse(StoreError.insideStep("rollback()")) }
    do {
      try discard(in: layer)
    } catch {
      refuse(error)
    }
  }

  // MARK: Steps

  /// Calls the closure with the context's connection, in the current step or in a step of its own.
  func changing<Result>(_ body: (ContextConnection) throws -> Result) throws -> Result {
    let (connection, layer) = try open()
    try connection.activate(layer)
    let wasReadOnly = connection.connection.isReadOnly
    connection.connection.isReadOnly = false
    defer { connection.connection.isReadOnly = wasReadOnly }
    func judged(isStep: Bool) throws -> Result {
      try connection.atomically(in: layer) {
        let result = try body(connection)
        try connection.judgeDeletions(in: layer)
        try connection.judgeSums(in: layer)
        if isStep { try connection.holdAttachments(of: layer.clock, in: layer) }
        return result
      }
    }
    guard layer.open == nil else { return try judged(isStep: false) }
    layer.clock += 1
    let number = layer.clock
    layer.open = ContextLayer.Step(number: number)
    try connection.setStep(number, of: layer)
    do {
      let result = try judged(isStep: true)
      try connection.activate(layer)
      let step = layer.open
      layer.open = nil
      if let step, try !step.refusals.isEmpty || connection.hasHistory(of: number, in: layer) { push(step, to: layer) }
      observers.notify()
      return result
    } catch {
      layer.open = nil
      throw error
    }
  }

  /// Makes the step the last one, and discards undone steps.
  func push(_ step: ContextLayer.Step, to layer: ContextLayer) {
    if let saved = layer.savedCount, layer.steps.count < saved { layer.savedCount = nil }
    forgetUndone(in: layer)
    layer.steps.append(step)
  }

  private func forgetUndone(in layer: ContextLayer) {
    guard let opened = try? open(), !layer.undone.isEmpty else { return }
    // A history that couldn't be deleted is never read, because no step has its number.
    try? opened.connection.forgetHistory(of: layer.undone.map(\.number), in: layer)
    layer.undone.removeAll()
    // It does no harm to keep data for longer than necessary.
    try? opened.connection.releaseAttachments(in: layer)
  }

  private func exchange(_ step: ContextLayer.Step, in layer: ContextLayer) -> Bool {
    do {
      let connection = try open().connection
      try connection.activate(layer)
      try connection.exchange(step.number, in: layer)
      layer.versions.isExact = false
      observers.notify()
      return true
    } catch {
      refuse(error)
      return false
    }
  }

  private func discard(in layer: ContextLayer) throws {
    let connection = try open().connection
    try connection.activate(layer)
    if let saved = layer.savedCount {
      while layer.steps.count < saved, redo() {}
      let steps = layer.steps[Swift.min(saved, layer.steps.count)...]
      try connection.forgetHistory(of: steps.map(\.number), in: layer)
      layer.steps.removeLast(steps.count)
    } else {
      try connection.forgetHistory(of: layer.steps.map(\.number), in: layer)
      layer.steps.removeAll()
    }
    forgetUndone(in: layer)
    layer.savedCount = layer.steps.count
    try connection.clear(layer)
    connection.changeableVersions(of: layer).didRollBack()
    observers.notify()
    try connection.releaseAttachments(in: layer)
  }
}

extension StoreError {
  /// Returns the error of a call that isn't possible inside a step.
  static func insideStep(_ call: String) -> StoreError {
    StoreError(.unsupported, "\(call) was called inside of step { … }; call it after the step.")
  }
}
