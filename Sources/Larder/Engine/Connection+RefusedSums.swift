import GRDBSQLite
import Synchronization

// A trigger of the file refuses a sum without a row: its message is a constant. To find the row, the refused change is
// made again, with temporary triggers that note it, and undone.

extension Connection {
  /// Calls the closure, which changes rows. If a derived property can't hold its sum, the error has the key of the row
  /// with that property.
  func namingSums<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      throw namingSum(error) { _ = try body() }
    }
  }

  /// Returns the error of a sum that its property can't hold with the key of the row that has it; any other error
  /// unchanged.
  ///
  /// - Parameter change: Makes the refused change again.
  /// - Complexity: As much as the refused change; it needs no memory for the rows that it changes.
  func namingSum(_ error: StoreError, _ change: () throws -> Void) -> StoreError {
    // Unsaved changes of a context have a check of their own.
    guard error.code == .invalidValue, error.key.isEmpty, overlay?.isSaving ?? true, refusedSum?.isSought != true else {
      return error
    }
    // SQLite names no property if its own sum overflows.
    let sums = environment.tables.lazy.flatMap(\.derived).filter { sum in
      sum.unstorable() != nil && (error.property == nil || (sum.model, sum.property) == (error.model, error.property))
    }
    let candidates = Array(sums)
    guard !candidates.isEmpty, let found = firstRefused(candidates, change) else { return error }
    let sum = candidates[found.sum]
    guard let reason = sum.unstorable()?.reason else { return error }
    return DerivedRefusal(model: sum.model, property: sum.property, reason: reason).error(key: [found.key])
  }

  private var refusedSum: RefusedSum? { existingState(RefusedSum.self) }

  /// Makes the change again, undoes it, and returns the first sum that its property couldn't hold.
  private func firstRefused(_ sums: [DerivedColumn], _ change: () throws -> Void) -> RefusedSum.Found? {
    let refused = state(RefusedSum.self, RefusedSum(on: handle))
    refused.begin()
    func noting() throws {
      for (number, sum) in sums.enumerated() {
        for trigger in sum.refusalTriggers(number) { try self.change(trigger) }
      }
      try change()
      // Whatever has changed by now must not stay.
      throw Undo()
    }
    do {
      try isAutocommitting ? transaction(noting) : savepoint(noting)
    } catch {
      // The change is refused again, which is how the row is found.
    }
    return refused.end()
  }

  private struct Undo: Error {}
}

/// The first sum that its property couldn't hold, as temporary triggers note it.
private final class RefusedSum: Sendable {
  struct Found: Sendable {
    /// The position of the sum among those that are sought.
    let sum: Int
    let key: Value
  }

  private struct State: Sendable {
    var isSought = false
    var found: Found?
  }

  private let state = Mutex(State())

  /// A function outlives the statement that SQLite undoes; a row of a temporary table wouldn't.
  init(on handle: OpaquePointer) {
    ScalarFunction(DerivedColumn.noteRefusal, 2, isDeterministic: false) { [weak self] values in
      self?.state.withLock { state in
        guard state.isSought, state.found == nil, let sum = values[0].integer else { return }
        state.found = Found(sum: Int(sum), key: values[1])
      }
      return .null
    }.register(on: handle)
  }

  var isSought: Bool { state.withLock(\.isSought) }

  func begin() { state.withLock { $0 = State(isSought: true) } }

  func end() -> Found? {
    state.withLock { state in
      defer { state = State() }
      return state.found
    }
  }
}
