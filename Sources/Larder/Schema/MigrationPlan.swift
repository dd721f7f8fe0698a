/// What opening a store would do to its file. Made by ``Store/plan(at:for:configuration:)``; print it.
public struct MigrationPlan: Sendable, Hashable, CustomStringConvertible {
  /// The steps in the order in which they would happen; none where the file fits the models.
  public let steps: [String]

  /// What is worth a look before the store is opened, such as a table that looks like that of a renamed struct.
  public let notes: [String]

  init(steps: [String], notes: [String] = []) {
    self.steps = steps
    self.notes = notes
  }

  /// Whether the file fits the models already.
  public var isEmpty: Bool { steps.isEmpty }

  public var description: String {
    (isEmpty ? "nothing to do" : steps.map { "- \($0)" }.joined(separator: "\n")) + notes.map { "\nNote: \($0)" }.joined()
  }
}
