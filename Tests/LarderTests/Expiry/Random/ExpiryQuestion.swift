import Foundation
import Larder

/// What is asked of a store with rows that expire, in every place that reads.
enum ExpiryQuestion: String, CaseIterable {
  case permits, tickets, gates, stamps, counts, finds, ends, condition, page, search, tags, groups, aggregates
  case permitOfTicket, parent, ticketsOfPermit, permitsOfGate, includedPermits, includedPermit, sql, papers

  static let secondToFourth = ExpiryPermit.all.sorted(by: \.level).sorted(by: \.id).limit(3, offset: 1)

  /// Returns the answer of a store, a snapshot, a transaction or a context.
  func answer(_ db: some StoreReader) throws -> String {
    switch self {
    case .permits: return lines(try db.fetch(ExpiryPermit.all.sorted(by: \.id)).map(\.line))
    case .tickets: return lines(try db.fetch(ExpiryTicket.all.sorted(by: \.id)).map(\.line))
    case .gates: return lines(try db.fetch(ExpiryGate.all.sorted(by: \.id)).map(\.line))
    case .stamps:
      let stamps = try db.fetch(ExpiryStamp.all.sorted(by: \.id)).map(\.line)
      return lines(stamps + (try db.fetch(ExpirySeal.all.sorted(by: \.id)).map(\.line)))
    case .counts:
      let counts = (try db.count(ExpiryPermit.all), try db.count(ExpiryPermit.where { $0.level > 1 }))
      return
        "\(counts.0) \(counts.1) \(try db.count(ExpiryTicket.all)) \(try db.exists(ExpiryTicket.where { $0.seat > 5 }))"
    case .finds:
      return lines(try Self.keys.map { try db.find(ExpiryPermit.self, $0)?.line ?? "-" })
    case .ends:
      let permits = try Self.keys.map { try db.expiry(of: ExpiryPermit.self, $0) }
      let tickets = try Self.keys.map { try db.expiry(of: ExpiryTicket.self, $0) }
      return "\((permits + tickets).map { $0?.timeIntervalSinceReferenceDate })"
    case .condition:
      return ids(try db.fetch(ExpiryPermit.where { $0.level > 1 || $0.code == "c1" }.sorted(by: \.id)))
    case .page: return ids(try db.fetch(Self.secondToFourth))
    case .search: return ids(try db.fetch(ExpiryPermit.search("ok").sorted(by: \.id)))
    case .tags: return ids(try db.fetch(ExpiryPermit.where { $0.tags.contains("a") }.sorted(by: \.id)))
    case .groups:
      let groups = try db.fetch(ExpiryPermit.all.grouped(by: \.level) { ($0.key, $0.count, $0.sum(\.weight)) })
      return groups.map { "\($0.0): \($0.1) \($0.2)" }.sorted().joined(separator: ", ")
    case .aggregates:
      let permits = ExpiryPermit.where { $0.level > 0 }
      return
        "\(try db.sum(permits, of: \.level)) \(try db.max(permits, of: \.level) ?? 0) \(try db.min(ExpiryTicket.all, of: \.seat) ?? 0)"
    case .permitOfTicket: return ids(try db.fetch(ExpiryTicket.where { $0.permit.level > 1 }.sorted(by: \.id)))
    case .parent: return ids(try db.fetch(ExpiryPermit.where { $0.parent.level >= 0 }.sorted(by: \.id)))
    case .ticketsOfPermit: return ids(try db.fetch(ExpiryPermit.where { $0.tickets.count > 0 }.sorted(by: \.id)))
    case .permitsOfGate:
      let some = try db.fetch(ExpiryGate.where { $0.permits.contains { $0.level > 1 } }.sorted(by: \.id))
      return ids(some) + " " + ids(try db.fetch(ExpiryGate.where { $0.permits.count == 1 }.sorted(by: \.id)))
    case .includedPermits:
      return lines(
        try db.fetch(ExpiryGate.all.including(\.permits, then: \.tickets).sorted(by: \.id)).map(\.lineWithPermits))
    case .includedPermit:
      let query = ExpiryTicket.all.including(\.permit).including(\.spare).sorted(by: \.id)
      return lines(try db.fetch(query).map(\.lineWithPermits))
    case .sql:
      let pairs = try db.sql(
        "select t.id as id, p.level as level from ExpiryTicket t join ExpiryPermit p on p.id = t.permit order by t.id")
      let count = try db.sql("select count(*) as n from ExpiryPermit").first?["n"]?.integer ?? -1
      return pairs.map { "\($0["id"]?.integer ?? -1) \($0["level"]?.integer ?? -1)" }.joined(separator: ", ")
        + "; \(count)"
    case .papers:
      let papers = db.documents("papers")
      let all = try papers.fetch(sort: "key").map { "\($0.key) \($0.value["n"]?.integer ?? -1)" }
      let some = try papers.keys(sort: "key", validatesProperties: false) { $0.n > 1 }
      let found = try papers.find(["a", "b"])
      return "\(all) \(some) \(try papers.count()) \(found.keys.sorted()) \(try papers.expiry(of: "a") as Date?)"
    }
  }

  /// Returns the same from plain Swift.
  func answer(_ world: ExpiryWorld, at now: Double) -> String {
    let permits = world.permits(at: now)
    let tickets = world.tickets(at: now)
    func level(_ permit: ToOne<ExpiryPermit>?) -> Int? { permit.flatMap { world.permit($0.id, at: now) }?.level }
    switch self {
    case .permits: return lines(permits.map(\.line))
    case .tickets: return lines(tickets.map(\.line))
    case .gates: return lines(world.shownGates.map(\.line))
    case .stamps:
      let stamps = world.stamps.values.sorted { $0.id < $1.id }.map(\.line)
      return lines(stamps + world.seals.values.sorted { $0.id < $1.id }.map(\.line))
    case .counts:
      return "\(permits.count) \(permits.count { $0.level > 1 }) \(tickets.count) \(tickets.contains { $0.seat > 5 })"
    case .finds: return lines(Self.keys.map { world.permit($0, at: now)?.line ?? "-" })
    case .ends:
      func ends<Row>(_ entries: [Int: ExpiryWorld.Entry<Row>]) -> [Double?] {
        Self.keys.map { id in entries[id].flatMap { $0.isThere(at: now) ? $0.end : nil } }
      }
      return "\(ends(world.permits) + ends(world.tickets))"
    case .condition: return ids(permits.filter { $0.level > 1 || $0.code == "c1" })
    case .page: return ids(permits.sorted { ($0.level, $0.id) < ($1.level, $1.id) }.dropFirst().prefix(3))
    case .search: return ids(permits.filter { $0.text.split(separator: " ").contains("ok") })
    case .tags: return ids(permits.filter { $0.tags.contains("a") })
    case .groups:
      return Dictionary(grouping: permits, by: \.level).map { level, permits in
        "\(level): \(permits.count) \(permits.reduce(0) { $0 + $1.weight })"
      }.sorted().joined(separator: ", ")
    case .aggregates:
      let levels = permits.map(\.level).filter { $0 > 0 }
      return "\(levels.reduce(0, +)) \(levels.max() ?? 0) \(tickets.map(\.seat).min() ?? 0)"
    case .permitOfTicket: return ids(tickets.filter { level($0.permit).map { $0 > 1 } ?? false })
    case .parent: return ids(permits.filter { level($0.parent).map { $0 >= 0 } ?? false })
    case .ticketsOfPermit: return ids(permits.filter { permit in tickets.contains { $0.permit?.id == permit.id } })
    case .permitsOfGate:
      let permitsByGate = Dictionary(grouping: permits) { $0.gate?.id }
      let some = world.shownGates.filter { permitsByGate[$0.id]?.contains { $0.level > 1 } ?? false }
      return ids(some) + " " + ids(world.shownGates.filter { permitsByGate[$0.id]?.count == 1 })
    case .includedPermits: return lines(world.gatesWithPermits(at: now).map(\.lineWithPermits))
    case .includedPermit: return lines(tickets.map { world.loaded($0, at: now).lineWithPermits })
    case .sql:
      let pairs = tickets.compactMap { ticket in level(ticket.permit).map { "\(ticket.id) \($0)" } }
      return pairs.joined(separator: ", ") + "; \(permits.count)"
    case .papers:
      let papers = world.papers(at: now)
      let all = papers.map { "\($0.key) \($0.number)" }
      let end = world.papers["a"].flatMap { $0.isThere(at: now) ? $0.end : nil }
      return
        "\(all) \(papers.filter { $0.number > 1 }.map(\.key)) \(papers.count) \(papers.map(\.key).filter { ["a", "b"].contains($0) }) \(end.map { Date(timeIntervalSinceReferenceDate: $0) } as Date?)"
    }
  }

  /// The keys of permits and tickets.
  static let keys = 1...8

  private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  private func ids<M: Model>(_ rows: some Sequence<M>) -> String where M.ID == Int { "\(rows.map(\.id))" }
}

extension ExpiryWorld {
  /// Returns the gates with their permits and the tickets of these, as a query includes them.
  func gatesWithPermits(at now: Double) -> [ExpiryGate] {
    let tickets = tickets(at: now)
    let permits = permits(at: now).map { permit in
      var permit = permit
      permit.tickets = ToMany(tickets.filter { $0.permit?.id == permit.id })
      return permit
    }
    return shownGates.map { gate in
      var gate = gate
      gate.permits = ToMany(permits.filter { $0.gate?.id == gate.id })
      return gate
    }
  }

  /// Returns the ticket with the permits that a query includes.
  func loaded(_ ticket: ExpiryTicket, at now: Double) -> ExpiryTicket {
    var ticket = ticket
    ticket.permit = ticket.permit.map { reference in permit(reference.id, at: now).map { ToOne($0) } ?? reference }
    ticket.spare = ticket.spare.map { reference in permit(reference.id, at: now).map { ToOne($0) } ?? reference }
    return ticket
  }
}

// MARK: - Rows as texts

extension ExpiryPermit {
  var line: String {
    "permit \(id) \(code ?? "-") \(text) \(level) \(tags.sorted()) gate \(gate?.id ?? 0) parent \(parent?.id ?? 0) \(stampCount) \(weight)"
  }
}

extension ExpiryTicket {
  var line: String { "ticket \(id) \(seat) permit \(permit?.id ?? 0) spare \(spare?.id ?? 0)" }

  var lineWithPermits: String { "\(line): \(permit?.loaded?.line ?? "-"), \(spare?.loaded?.line ?? "-")" }
}

extension ExpiryGate {
  var line: String { "gate \(id) \(name) \(stampCount)" }

  var lineWithPermits: String {
    let permits = permits.sorted { $0.id < $1.id }
    return "\(line): \(permits.map { "\($0.line) with \($0.tickets.map(\.line).sorted())" })"
  }
}

extension ExpiryStamp {
  var line: String { "stamp \(id) \(weight) gate \(gate?.id ?? 0) permit \(permit?.id ?? 0)" }
}

extension ExpirySeal {
  var line: String { "seal \(id) permit \(permit?.id ?? 0)" }
}
