import Larder

/// What a file with rows that expire holds, in plain Swift.
///
/// Expired rows are among its rows, as they are in the file: until they are deleted, others refer to them, and they
/// reappear if the clock goes back.
struct ExpiryWorld {
  struct Entry<Row> {
    var row: Row
    /// When the row expires, in seconds since the reference date; nil if it stays.
    var end: Double?

    func isThere(at now: Double) -> Bool { end.map { $0 > now } ?? true }
  }

  var permits: [Int: Entry<ExpiryPermit>] = [:]
  var tickets: [Int: Entry<ExpiryTicket>] = [:]
  /// A collection of documents, each with one number.
  var papers: [String: Entry<Int>] = [:]
  var gates: [Int: ExpiryGate] = [:]
  var stamps: [Int: ExpiryStamp] = [:]
  var seals: [Int: ExpirySeal] = [:]

  /// A change that the rules refuse.
  struct Refusal: Error {}

  // MARK: What is shown

  func permit(_ id: Int, at now: Double) -> ExpiryPermit? {
    guard let entry = permits[id], entry.isThere(at: now) else { return nil }
    var permit = entry.row
    let stamps = stamps.values.filter { $0.permit?.id == id }
    permit.stampCount = stamps.count
    permit.weight = stamps.reduce(0) { $0 + $1.weight }
    return permit
  }

  func permits(at now: Double) -> [ExpiryPermit] {
    permits.keys.sorted().compactMap { permit($0, at: now) }
  }

  func tickets(at now: Double) -> [ExpiryTicket] {
    tickets.values.filter { $0.isThere(at: now) }.map(\.row).sorted { $0.id < $1.id }
  }

  func papers(at now: Double) -> [(key: String, number: Int)] {
    papers.filter { $0.value.isThere(at: now) }.map { ($0.key, $0.value.row) }.sorted { $0.0 < $1.0 }
  }

  var shownGates: [ExpiryGate] {
    gates.values.sorted { $0.id < $1.id }.map { gate in
      var gate = gate
      gate.stampCount = stamps.values.count { $0.gate?.id == gate.id }
      return gate
    }
  }

  // MARK: Rules

  /// Whether a row refers to one that is not in the file.
  var hasDanglingReferences: Bool {
    func isMissing(_ permit: ToOne<ExpiryPermit>?) -> Bool { permit.map { permits[$0.id] == nil } ?? false }
    func isMissing(_ gate: ToOne<ExpiryGate>?) -> Bool { gate.map { gates[$0.id] == nil } ?? false }
    return permits.values.contains { isMissing($0.row.gate) || isMissing($0.row.parent) }
      || tickets.values.contains { isMissing($0.row.permit) || isMissing($0.row.spare) }
      || stamps.values.contains { isMissing($0.gate) || isMissing($0.permit) }
      || seals.values.contains { isMissing($0.permit) }
  }

  /// Whether a change took away an expired permit to which a row refers that was written since the start. For a context
  /// that is a reference to no row, as it is once the permit is swept.
  func loses(expiredAt now: Double, to later: ExpiryWorld, since start: ExpiryWorld) -> Bool {
    let gone = permits.filter { !$0.value.isThere(at: now) && later.permits[$0.key] == nil }
    func isGone(_ permit: ToOne<ExpiryPermit>?) -> Bool { permit.map { gone[$0.id] != nil } ?? false }
    return tickets.contains { id, ticket in
      (isGone(ticket.row.permit) || isGone(ticket.row.spare)) && start.tickets[id]?.row != ticket.row
    }
      || permits.contains { id, permit in isGone(permit.row.parent) && start.permits[id]?.row != permit.row }
      || stamps.contains { id, stamp in isGone(stamp.permit) && start.stamps[id] != stamp }
  }

  /// Returns the permits that go with these.
  func descendants(of ids: Set<Int>) -> Set<Int> {
    var all = ids
    while true {
      let children = permits.filter { $0.value.row.parent.map { all.contains($0.id) } ?? false }.map(\.key)
      guard !all.isSuperset(of: children) else { return all }
      all.formUnion(children)
    }
  }

  /// Whether a seal keeps one of these permits, or one that goes with them.
  func isDenied(_ ids: Set<Int>) -> Bool {
    let all = descendants(of: ids)
    return seals.values.contains { $0.permit.map { all.contains($0.id) } ?? false }
  }

  /// Deletes permits, whether they have expired or not, and does what the delete rules say.
  mutating func delete(permits ids: Set<Int>) throws {
    guard !ids.isEmpty else { return }
    guard !isDenied(ids) else { throw Refusal() }
    let all = descendants(of: ids)
    func isGone(_ permit: ToOne<ExpiryPermit>?) -> Bool { permit.map { all.contains($0.id) } ?? false }
    permits = permits.filter { !all.contains($0.key) }
    tickets = tickets.filter { !isGone($0.value.row.permit) }
    for (id, ticket) in tickets where isGone(ticket.row.spare) { tickets[id]?.row.spare = nil }
    stamps = stamps.filter { !isGone($0.value.permit) }
  }

  mutating func delete(gate id: Int) {
    gates[id] = nil
    for (key, permit) in permits where permit.row.gate?.id == id { permits[key]?.row.gate = nil }
    stamps = stamps.filter { $0.value.gate?.id != id }
  }
}

/// The time by which a store hides rows.
struct ExpiryWorldClock {
  private(set) var now: Double

  init(at reading: Double) { now = reading }

  /// The clock shows another time. Within five minutes before what it showed, the time stands still.
  mutating func show(_ reading: Double) {
    if reading > now || now - reading > 300 { now = reading }
  }

  /// A date was set: a row that has not expired by the clock is there.
  mutating func note(_ end: Double, _ reading: Double) {
    if reading < end, end <= now { now = reading }
  }
}
