/// The state of a row as it travels: how often it was inserted and deleted, and each property with its own stamp.
///
/// A deleted row keeps its properties: a row elsewhere may refer to it, and someone may want it back.
///
/// Source: Yu and Rostad, "A low-cost set CRDT based on causal lengths", 2020.
public struct RowState: Sendable, Hashable, Codable {
  /// The name of the table, which is that of the model or of the pairs of a many-to-many relationship.
  public let table: String
  /// The values of the key, in the order of its columns.
  public let key: [ReplicatedValue]
  /// The number of insertions and deletions: odd if the row is there, even if it is deleted. At least 1.
  public let causalLength: Int64
  /// The stamp of the last insertion or deletion.
  public let stamp: Stamp
  /// The stamp of the last insertion; ``stamp`` itself if the row is there.
  public let insertion: Stamp
  /// The properties that aren't part of the key, sorted by name, each name once.
  public let properties: [PropertyState]
  /// What replicas have added to the counters since the last insertion, sorted by property and replica, each pair once.
  /// A counter isn't among ``properties``.
  public let contributions: [Contribution]
  /// The values that lost against others, sorted, each property and stamp once.
  public let losses: [LostValue]

  /// Creates the state of a row.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - key: The values of the key.
  ///   - causalLength: The number of insertions and deletions.
  ///   - stamp: The stamp of the last insertion or deletion.
  ///   - insertion: The stamp of the last insertion.
  ///   - properties: The properties that aren't part of the key, sorted by name, each name once.
  ///   - contributions: What replicas have added to the counters since the last insertion, sorted by property and
  ///     replica, each pair once.
  ///   - losses: The values that lost against others, sorted, each property and stamp once.
  public init(
    table: String, key: [ReplicatedValue], causalLength: Int64, stamp: Stamp, insertion: Stamp,
    properties: [PropertyState], contributions: [Contribution] = [], losses: [LostValue] = []
  ) {
    self.table = table
    self.key = key
    self.causalLength = causalLength
    self.stamp = stamp
    self.insertion = insertion
    self.properties = properties
    self.contributions = contributions
    self.losses = losses
  }

  /// Whether the row is there; otherwise it is deleted.
  public var isThere: Bool { causalLength % 2 == 1 }

  /// The causal length of the last insertion.
  var insertionLength: Int64 { causalLength - 1 + causalLength % 2 }
}
