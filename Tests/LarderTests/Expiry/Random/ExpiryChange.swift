import Foundation
import Larder

/// A change of rows that expire, by one call.
enum ExpiryChange {
  /// The date that a call gives.
  enum End {
    /// A verb without a date.
    case unsaid
    /// Seconds since the reference date; nil for a row that stays.
    case at(Double?)
  }

  case insertPermits([ExpiryPermit], End)
  case savePermits([ExpiryPermit], End)
  case updatePermit(ExpiryPermit)
  case setPermitEnd(Int, Double?)
  case lowerPermits(above: Int)
  case deletePermit(Int)
  case deletePermits(above: Int)
  case insertTickets([ExpiryTicket], End)
  case saveTickets([ExpiryTicket], End)
  case setTicketEnd(Int, Double?)
  case seatTicketsByPermit
  case deleteTicket(Int)
  case saveGate(ExpiryGate)
  case deleteGate(Int)
  case saveStamp(ExpiryStamp)
  case deleteStamp(Int)
  case saveSeal(ExpirySeal)
  case deleteSeal(Int)
  case savePaper(String, Int, Double?)
  case updatePaper(String, Int)
  case setPaperEnd(String, Double?)
  case deletePaper(String)
  case deletePapers(above: Int)
  case raisePermitBySQL(Int)
  case deleteTicketBySQL(Int)
  case removeExpired

  /// The date that the change gives a row; nil if it gives none.
  private var end: Double? {
    switch self {
    case .insertPermits(_, .at(let end)), .savePermits(_, .at(let end)): end
    case .insertTickets(_, .at(let end)), .saveTickets(_, .at(let end)): end
    case .setPermitEnd(_, let end), .setTicketEnd(_, let end), .setPaperEnd(_, let end): end
    case .savePaper(_, _, let end): end
    default: nil
    }
  }

  /// Whether the change gives a row a date that has passed.
  func hides(at reading: Double) -> Bool { end.map { $0 <= reading } ?? false }

  /// Whether the change gives a row a date by which the time goes back to what the clock reads: rows reappear.
  func turnsBack(from now: Double, to reading: Double) -> Bool { end.map { reading < $0 && $0 <= now } ?? false }

  /// Whether a context can make the change.
  var isForContexts: Bool {
    switch self {
    case .savePaper, .updatePaper, .setPaperEnd, .deletePaper, .deletePapers: false
    case .raisePermitBySQL, .deleteTicketBySQL, .removeExpired: false
    default: true
    }
  }
}

// MARK: - In a store

extension ExpiryChange {
  /// Makes the change, and returns what the call returns.
  func make(_ db: some StoreWriter) throws -> String {
    switch self {
    case .insertPermits(let permits, let end): try Self.insert(permits, end, db)
    case .savePermits(let permits, let end): try Self.save(permits, end, db)
    case .updatePermit(let permit): try db.update(permit)
    case .setPermitEnd(let id, let end): return "\(try db.setExpiry(of: ExpiryPermit.self, id, to: Self.date(end)))"
    case .lowerPermits(let level):
      return "\(try db.updateAll(ExpiryPermit.where { $0.level > level }) { $0.level.increment(by: -2) })"
    case .deletePermit(let id): return "\(try db.delete(ExpiryPermit.self, id))"
    case .deletePermits(let level): try db.deleteAll(ExpiryPermit.where { $0.level > level })
    case .insertTickets(let tickets, let end): try Self.insert(tickets, end, db)
    case .saveTickets(let tickets, let end): try Self.save(tickets, end, db)
    case .setTicketEnd(let id, let end): return "\(try db.setExpiry(of: ExpiryTicket.self, id, to: Self.date(end)))"
    case .seatTicketsByPermit:
      return
        "\(try db.updateAll(ExpiryTicket.where { $0.permit.level >= 0 }) { $0.seat.set { $0.permit.level.or(0) + 10 } })"
    case .deleteTicket(let id): return "\(try db.delete(ExpiryTicket.self, id))"
    case .saveGate(let gate): try db.save(gate)
    case .deleteGate(let id): return "\(try db.delete(ExpiryGate.self, id))"
    case .saveStamp(let stamp): try db.save(stamp)
    case .deleteStamp(let id): return "\(try db.delete(ExpiryStamp.self, id))"
    case .saveSeal(let seal): try db.save(seal)
    case .deleteSeal(let id): return "\(try db.delete(ExpirySeal.self, id))"
    case .savePaper(let key, let number, let end):
      try db.documents("papers").save(key, ["n": .integer(Int64(number))], expires: Self.date(end))
    case .updatePaper(let key, let number): try db.documents("papers").update(key, ["n": .integer(Int64(number))])
    case .setPaperEnd(let key, let end): return "\(try db.documents("papers").setExpiry(of: key, to: Self.date(end)))"
    case .deletePaper(let key): return "\(try db.documents("papers").delete(key))"
    case .deletePapers(let number): return "\(try db.documents("papers").deleteAll { $0.n > number })"
    case .raisePermitBySQL(let id): _ = try db.sql("update ExpiryPermit set level = level + 1 where id = \(id)")
    case .deleteTicketBySQL(let id): _ = try db.sql("delete from ExpiryTicket where id = \(id)")
    case .removeExpired: _ = try db.removeExpired()
    }
    return ""
  }

  private static func date(_ end: Double?) -> Date? { end.map { Date(timeIntervalSinceReferenceDate: $0) } }

  /// One value takes another way than an array.
  private static func insert<M: ExpiringModel>(_ values: [M], _ end: End, _ db: some StoreWriter) throws {
    switch (end, values.count) {
    case (.unsaid, 1): try db.insert(values[0])
    case (.unsaid, _): try db.insert(values)
    case (.at(let end), 1): try db.insert(values[0], expires: date(end))
    case (.at(let end), _): try db.insert(values, expires: date(end))
    }
  }

  private static func save<M: ExpiringModel>(_ values: [M], _ end: End, _ db: some StoreWriter) throws {
    switch (end, values.count) {
    case (.unsaid, 1): try db.save(values[0])
    case (.unsaid, _): try db.save(values)
    case (.at(let end), 1): try db.save(values[0], expires: date(end))
    case (.at(let end), _): try db.save(values, expires: date(end))
    }
  }
}

// MARK: - In plain Swift

extension ExpiryWorld {
  /// Makes the change, and returns what the call must return. Throws if the call must throw.
  ///
  /// References are checked by the caller, when the transaction ends.
  mutating func make(_ change: ExpiryChange, _ clock: inout ExpiryWorldClock, reading: Double) throws -> String {
    let now = clock.now
    switch change {
    case .insertPermits(let permits, let end): try write(permits, end, isInsert: true, &clock, reading)
    case .savePermits(let permits, let end): try write(permits, end, isInsert: false, &clock, reading)
    case .updatePermit(let permit):
      try free(permit.code, for: permit.id, isUpdate: true, at: now)
      permits[permit.id]?.row = permit
    case .setPermitEnd(let id, let end):
      let isThere = permits[id]?.isThere(at: now) ?? false
      if isThere { permits[id]?.end = end }
      if let end { clock.note(end, reading) }
      return "\(isThere)"
    case .lowerPermits(let level):
      let ids = permits(at: now).filter { $0.level > level }.map(\.id)
      for id in ids { permits[id]?.row.level -= 2 }
      return "\(ids.count)"
    case .deletePermit(let id):
      guard permits[id]?.isThere(at: now) ?? false else { return "false" }
      try delete(permits: [id])
      return "true"
    case .deletePermits(let level): try delete(permits: Set(permits(at: now).filter { $0.level > level }.map(\.id)))
    case .insertTickets(let tickets, let end): try write(tickets, end, isInsert: true, &clock, reading)
    case .saveTickets(let tickets, let end): try write(tickets, end, isInsert: false, &clock, reading)
    case .setTicketEnd(let id, let end):
      let isThere = tickets[id]?.isThere(at: now) ?? false
      if isThere { tickets[id]?.end = end }
      if let end { clock.note(end, reading) }
      return "\(isThere)"
    case .seatTicketsByPermit:
      var count = 0
      for ticket in tickets(at: now) {
        guard let level = ticket.permit.flatMap({ permit($0.id, at: now) })?.level, level >= 0 else { continue }
        tickets[ticket.id]?.row.seat = level + 10
        count += 1
      }
      return "\(count)"
    case .deleteTicket(let id):
      guard tickets[id]?.isThere(at: now) ?? false else { return "false" }
      tickets[id] = nil
      return "true"
    case .saveGate(let gate): gates[gate.id] = gate
    case .deleteGate(let id):
      defer { delete(gate: id) }
      return "\(gates[id] != nil)"
    case .saveStamp(let stamp): stamps[stamp.id] = stamp
    case .deleteStamp(let id): return "\(stamps.removeValue(forKey: id) != nil)"
    case .saveSeal(let seal): seals[seal.id] = seal
    case .deleteSeal(let id): return "\(seals.removeValue(forKey: id) != nil)"
    case .savePaper(let key, let number, let end):
      papers[key] = Entry(row: number, end: end)
      if let end { clock.note(end, reading) }
    case .updatePaper(let key, let number):
      guard papers[key]?.isThere(at: now) ?? false else { throw Refusal() }
      papers[key]?.row = number
    case .setPaperEnd(let key, let end):
      guard papers[key]?.isThere(at: now) ?? false else { return "false" }
      papers[key]?.end = end
      if let end { clock.note(end, reading) }
      return "true"
    case .deletePaper(let key):
      guard papers[key]?.isThere(at: now) ?? false else { return "false" }
      papers[key] = nil
      return "true"
    case .deletePapers(let number):
      let keys = papers(at: now).filter { $0.number > number }.map(\.key)
      for key in keys { papers[key] = nil }
      return "\(keys.count)"
    // SQL sees rows that only a leap of the clock has hidden.
    case .raisePermitBySQL(let id): permits[id]?.row.level += 1
    case .deleteTicketBySQL(let id): tickets[id] = nil
    // What it deletes is looked up in the file.
    case .removeExpired: break
    }
    return ""
  }

  private mutating func write(
    _ values: [ExpiryPermit], _ end: ExpiryChange.End, isInsert: Bool, _ clock: inout ExpiryWorldClock,
    _ reading: Double
  ) throws {
    let now = clock.now
    for value in values where !(permits[value.id]?.isThere(at: now) ?? true) { try delete(permits: [value.id]) }
    for value in values {
      if isInsert, permits[value.id] != nil { throw Refusal() }
      try free(value.code, for: value.id, isUpdate: false, at: now)
      permits[value.id] = Entry(row: value, end: nil)
    }
    guard case .at(let end?) = end else { return }
    for value in values { permits[value.id]?.end = end }
    clock.note(end, reading)
  }

  private mutating func write(
    _ values: [ExpiryTicket], _ end: ExpiryChange.End, isInsert: Bool, _ clock: inout ExpiryWorldClock,
    _ reading: Double
  ) throws {
    let now = clock.now
    tickets = tickets.filter { id, ticket in ticket.isThere(at: now) || !values.contains { $0.id == id } }
    for value in values {
      if isInsert, tickets[value.id] != nil { throw Refusal() }
      tickets[value.id] = Entry(row: value, end: nil)
    }
    guard case .at(let end?) = end else { return }
    for value in values { tickets[value.id]?.end = end }
    clock.note(end, reading)
  }

  /// Deletes an expired permit with the code. Throws if one that is there has it, and if an update finds no row.
  private mutating func free(_ code: String?, for id: Int, isUpdate: Bool, at now: Double) throws {
    func isMissing() -> Bool { isUpdate && !(permits[id]?.isThere(at: now) ?? false) }
    if isMissing() { throw Refusal() }
    guard let code, let holder = permits.values.first(where: { $0.row.code == code && $0.row.id != id }) else { return }
    if holder.isThere(at: now) { throw Refusal() }
    try delete(permits: [holder.row.id])
    if isMissing() { throw Refusal() }
  }
}
