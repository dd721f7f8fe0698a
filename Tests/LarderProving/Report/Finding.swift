/// A difference between what the store did and what it had to do.
public struct Finding: Codable, Sendable, Hashable {
  /// What was expected and what was found.
  public var description: String
  /// A command that shows it again.
  public var reproduction: String

  public init(_ description: String, reproduction: String) {
    self.description = description
    self.reproduction = reproduction
  }
}
