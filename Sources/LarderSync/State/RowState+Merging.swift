extension RowState {
  /// Returns the state that has everything of both: the greater causal length with its stamps, and each property of the
  /// last insertion under the greater causal length, then by the later stamp. Contributions to counters are of the last
  /// insertion, too; of each replica the latest counts. Losses are a union.
  ///
  /// Merging is commutative, associative and idempotent. Stamps are never equal for two writes; if those of damaged
  /// data are, the values decide, so that all replicas decide the same.
  ///
  /// - Parameter other: The state of the same row on another replica.
  /// - Returns: The merged state.
  func merging(_ other: RowState) -> RowState {
    let presence = Swift.max(Presence(self), Presence(other))
    var properties: [PropertyState] = []
    var (left, right) = (self.properties[...], other.properties[...])
    while let first = left.first ?? right.first {
      guard let own = left.first, let foreign = right.first else {
        properties.append(first)
        if left.popFirst() == nil { _ = right.popFirst() }
        continue
      }
      if own.name < foreign.name {
        properties.append(own)
        left.removeFirst()
      } else if foreign.name < own.name {
        properties.append(foreign)
        right.removeFirst()
      } else {
        properties.append(own.isOlder(than: foreign) ? foreign : own)
        left.removeFirst()
        right.removeFirst()
      }
    }
    let length = presence.length - 1 + presence.length % 2
    // An insertion starts the row anew, even without a property: of a document that is saved without it, or of a row by
    // an app whose model lacks it.
    properties.removeAll { $0.causalLength < length }
    return RowState(
      table: table, key: key, causalLength: presence.length, stamp: presence.stamp, insertion: presence.insertion,
      properties: properties, contributions: Self.merged(contributions + other.contributions, since: length),
      losses: Self.merged(losses + other.losses))
  }

  /// Returns contributions of the last insertion alone, the later one of two of a replica.
  private static func merged(_ contributions: [Contribution], since length: Int64) -> [Contribution] {
    if contributions.isEmpty { return [] }
    var result: [Contribution] = []
    for contribution in contributions.filter({ $0.causalLength >= length }).sorted(by: { $0.precedes($1) }) {
      if let last = result.last, last.isSame(as: contribution) {
        if last.isOlder(than: contribution) { result[result.count - 1] = contribution }
      } else {
        result.append(contribution)
      }
    }
    return result
  }

  /// Returns the losses, each once: decided about if it is in one of them.
  private static func merged(_ losses: [LostValue]) -> [LostValue] {
    if losses.isEmpty { return [] }
    var result: [LostValue] = []
    for loss in losses.sorted() {
      if let last = result.last, last.isSame(as: loss) { result.removeLast() }
      result.append(loss)
    }
    return result
  }

  /// The state with more losses. One that is known already stays as it is, if it was decided about.
  func adding(_ losses: [LostValue]) -> RowState {
    losses.isEmpty ? self : changed(losses: Self.merged(self.losses + losses))
  }

  /// The state with another part.
  func changed(
    properties: [PropertyState]? = nil, contributions: [Contribution]? = nil, losses: [LostValue]? = nil
  ) -> RowState {
    RowState(
      table: table, key: key, causalLength: causalLength, stamp: stamp, insertion: insertion,
      properties: properties ?? self.properties, contributions: contributions ?? self.contributions,
      losses: losses ?? self.losses)
  }

  /// Whether both have a write at the same time by different replicas: one of them is a copy of the other's file, and
  /// has given a write from before its own identifier.
  func sharesCopiedWrite(with other: RowState) -> Bool {
    func isCopied(_ left: Stamp, _ right: Stamp) -> Bool { left.time == right.time && left.replica != right.replica }
    if isCopied(stamp, other.stamp) || isCopied(insertion, other.insertion) { return true }
    var others = other.properties[...]
    return properties.contains { property in
      while let first = others.first, first.name < property.name { others.removeFirst() }
      guard let rival = others.first, rival.name == property.name else { return false }
      return isCopied(property.stamp, rival.stamp)
    }
  }

  /// Whether a row is there, and since when.
  private struct Presence: Comparable {
    let length: Int64
    let stamp: Stamp
    let insertion: Stamp

    init(_ state: RowState) {
      (length, stamp, insertion) = (state.causalLength, state.stamp, state.insertion)
    }

    static func < (left: Presence, right: Presence) -> Bool {
      (left.length, left.stamp, left.insertion) < (right.length, right.stamp, right.insertion)
    }
  }
}

extension PropertyState {
  /// Whether the other state of the same property replaces this one.
  func isOlder(than other: PropertyState) -> Bool {
    (causalLength, stamp, value) < (other.causalLength, other.stamp, other.value)
  }
}
