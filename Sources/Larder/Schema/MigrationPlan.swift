/// What opening a store would do to its file. Made by ``Store/plan(at:for:configuration:)``; print it.
public struct MigrationPlan: Sendable, Hashable, CustomStringConvertible {
  /// The steps in the order in which they would happen; none where the file fits the models.
  public let steps: [String]

  /// Whether the file fits the models already.
  public var isEmpty: Bool { steps.isEmpty }

  public var description: String {
    isEmpty ? "nothing to do" : steps.map { "- \($0)" }.joined(separator: "\n")
  }
}
