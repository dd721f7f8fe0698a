import Larder
import LarderTestSupport

extension ExpiryChange {
  /// Returns a change that refers mostly to rows which the world has, expired or not.
  ///
  /// - Parameter reading: What the clock shows.
  static func random(_ world: ExpiryWorld, reading: Double, _ random: inout SplitMix64) -> ExpiryChange {
    let id = Int.random(in: ExpiryQuestion.keys, using: &random)
    let end = date(reading, &random)
    let key = random.pick(["a", "b", "c"])
    let number = Int.random(in: 0...4, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<4: return .insertPermits(permits(world, &random), self.end(reading, &random))
    case 4..<9: return .savePermits(permits(world, &random), self.end(reading, &random))
    case 9, 10: return .updatePermit(permit(world, &random))
    case 11..<14: return .setPermitEnd(id, end)
    case 14: return .lowerPermits(above: number)
    case 15: return .deletePermit(id)
    case 16: return .deletePermits(above: number)
    case 17..<19: return .insertTickets(tickets(world, &random), self.end(reading, &random))
    case 19..<22: return .saveTickets(tickets(world, &random), self.end(reading, &random))
    case 22: return .setTicketEnd(id, end)
    case 23: return .seatTicketsByPermit
    case 24: return .deleteTicket(id)
    case 25: return .saveGate(ExpiryGate(id: number, name: random.pick(["north", "south"])))
    case 26: return .deleteGate(number)
    case 27, 28:
      return .saveStamp(
        ExpiryStamp(
          id: id, weight: number, gate: reference(world.gates, &random), permit: reference(world.permits, &random)))
    case 29: return .deleteStamp(id)
    case 30: return .saveSeal(ExpirySeal(id: number, permit: reference(world.permits, &random)))
    case 31: return .deleteSeal(number)
    case 32, 33: return .savePaper(key, number, end)
    case 34: return .updatePaper(key, number)
    case 35: return .setPaperEnd(key, end)
    case 36: return random.once(in: 2) ? .deletePaper(key) : .deletePapers(above: number)
    case 37: return .raisePermitBySQL(id)
    case 38: return .deleteTicketBySQL(id)
    default: return .removeExpired
    }
  }

  /// Returns a date at the edge of what has expired, or far from it; nil for none.
  static func date(_ reading: Double, _ random: inout SplitMix64) -> Double? {
    random.pick([
      nil, reading, reading + 1, reading - 1, reading + 0.001, reading + 10, reading + 60, reading + 200,
      reading + 1000,
      reading + 6000, reading - 10_000, -1e9, 1e10,
    ])
  }

  private static func end(_ reading: Double, _ random: inout SplitMix64) -> End {
    random.once(in: 4) ? .unsaid : .at(date(reading, &random))
  }

  private static func permits(_ world: ExpiryWorld, _ random: inout SplitMix64) -> [ExpiryPermit] {
    (0..<random.pick([1, 1, 1, 2, 3])).map { _ in permit(world, &random) }
  }

  private static func tickets(_ world: ExpiryWorld, _ random: inout SplitMix64) -> [ExpiryTicket] {
    (0..<random.pick([1, 1, 2])).map { _ in
      ExpiryTicket(
        id: Int.random(in: ExpiryQuestion.keys, using: &random), seat: Int.random(in: 0...9, using: &random),
        permit: reference(world.permits, &random), spare: reference(world.permits, &random))
    }
  }

  private static func permit(_ world: ExpiryWorld, _ random: inout SplitMix64) -> ExpiryPermit {
    ExpiryPermit(
      id: Int.random(in: ExpiryQuestion.keys, using: &random), code: random.pickOrNil(["c1", "c2", "c3", "c4", "c5"]),
      text: random.pick(["ok", "red", "red ok", ""]), level: Int.random(in: -2...4, using: &random),
      tags: Set(["a", "b"].filter { _ in random.once(in: 2) }), gate: reference(world.gates, &random),
      parent: random.once(in: 3) ? reference(world.permits, &random) : nil)
  }

  /// Returns a reference to one of the rows, seldom one to a row that may not be there, or nil.
  private static func reference<M: Model, Row>(_ rows: [Int: Row], _ random: inout SplitMix64) -> ToOne<M>?
  where M.ID == Int {
    if random.once(in: 25) { return ToOne(Int.random(in: ExpiryQuestion.keys, using: &random)) }
    return random.pickOrNil(rows.keys.sorted() + [0]).flatMap { rows[$0] == nil ? nil : ToOne($0) }
  }
}
