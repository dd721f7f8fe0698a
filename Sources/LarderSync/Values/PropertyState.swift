/// The state of one property of a row.
public struct PropertyState: Sendable, Hashable, Codable {
  /// The property's name in the exchange: the name that its column had first, which a rename doesn't change.
  public let name: String
  /// The value.
  public let value: ReplicatedValue
  /// When and by whom the value was written.
  public let stamp: Stamp
  /// The causal length of the row under which the value was written.
  public let causalLength: Int64

  /// Creates the state of a property.
  ///
  /// - Parameters:
  ///   - name: The property's name in the exchange.
  ///   - value: The value.
  ///   - stamp: When and by whom the value was written.
  ///   - causalLength: The causal length of the row under which the value was written; odd.
  public init(name: String, value: ReplicatedValue, stamp: Stamp, causalLength: Int64) {
    self.name = name
    self.value = value
    self.stamp = stamp
    self.causalLength = causalLength
  }
}
