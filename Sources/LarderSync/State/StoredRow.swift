/// A row as this replica has it: its state, and what of it the table shows.
struct StoredRow {
  /// The number of the metadata; nil if the row is new here.
  var id: Int64?
  var state: RowState
  var status: RowStatus
  /// The properties whose values the table doesn't show, because what they refer to isn't visible, or shows in another
  /// form. Only for visible rows.
  var hidden: Set<String> = []
  /// What the table shows of counters and of hidden properties, in the order of the table's properties; null for the
  /// others. Only for visible rows.
  var shown: [ReplicatedValue] = []
  /// Where the row stands among the changes of this replica.
  var position: Int64 = 0
  /// The number of the replica from which the state came as it is; nil if this one has changed it.
  var source: Int64?

  var rowKey: RowKey { state.rowKey }
  var isVisible: Bool { status == .visible }
}

extension RowState {
  func property(_ name: String) -> PropertyState? { properties.first { $0.name == name } }

  /// What all replicas together have added to a counter.
  func sum(of counter: String) -> CounterAmount {
    contributions.reduce(.zero) { sum, contribution in
      contribution.property == counter && contribution.causalLength == insertionLength
        ? sum + contribution.amount : sum
    }
  }

  /// The value of a property; null if the state has none, as of a model that lacks it.
  func value(of name: String) -> ReplicatedValue { property(name)?.value ?? .null }
}
