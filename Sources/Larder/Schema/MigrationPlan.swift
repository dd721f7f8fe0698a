/// The changes that opening a store would make to its file. See ``Store/plan(at:for:configuration:)``.
public struct MigrationPlan: Sendable, Hashable, CustomStringConvertible {
  /// The steps, in order; empty if the file matches the models.
  public let steps: [String]

  /// What to check before the store is opened, such as a table that looks like that of a renamed struct.
  public let notes: [String]

  init(steps: [String], notes: [String] = []) {
    self.steps = steps
    self.notes = notes
  }

  /// Whether the file already matches the models.
  public var isEmpty: Bool { steps.isEmpty }

  public var description: String {
    (isEmpty ? "nothing to do" : steps.map { "- \($0)" }.joined(separator: "\n"))
      + notes.map { "\nNote: \($0)" }.joined()
  }
}
