extension RowState {
  /// Returns the state that has everything of both: the greater causal length with its stamps, and each property
  /// under the greater causal length, then by the later stamp.
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
    return RowState(
      table: table, key: key, causalLength: presence.length, stamp: presence.stamp, insertion: presence.insertion,
      properties: properties)
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
