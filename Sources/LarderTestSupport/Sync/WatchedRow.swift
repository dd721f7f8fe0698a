import LarderSync

/// Prints what each replica of a simulation knows of a row, whenever that has changed.
struct WatchedRow {
  /// The row as a failure names it, such as `Note ["\"3\""]`.
  let name: String
  private var known: [Int: RowState] = [:]

  init(_ name: String) { self.name = name }

  /// - Parameter event: What has just happened.
  mutating func look(at replicas: [SimulatedReplica], after event: String) {
    for (place, replica) in replicas.enumerated() {
      let state = replica.states.first { $0.key.description == name }?.value
      guard state != known[place] else { continue }
      known[place] = state
      print("\(event): replica \(place) has \(state.map(\.shown) ?? "nothing")")
    }
  }
}

extension RowState {
  /// The state in one line.
  fileprivate var shown: String {
    let values = properties.map { "\($0.name) \($0.value.shown) (\($0.causalLength), \($0.stamp.shown))" }
    let counts = contributions.map { "\($0.property) \($0.amount.shown) (\($0.causalLength), \($0.stamp.shown))" }
    let lost = losses.map {
      "lost \($0.property ?? "the row") \($0.isDismissed ? "dismissed" : $0.value.shown) (\($0.stamp.shown))"
    }
    return "\(causalLength) \(stamp.shown), inserted \(insertion.shown): "
      + (values + counts + lost).joined(separator: ", ")
  }
}

extension Stamp {
  /// The time and the beginning of the replica's identifier.
  fileprivate var shown: String { "\(time) \(replica.shown)" }
}

extension ReplicaID {
  fileprivate var shown: String { String(description.prefix(4)) }
}

extension CounterAmount {
  fileprivate var shown: String { "\(high) × 2³² + \(low)" }
}
