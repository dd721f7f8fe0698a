import Foundation
import Larder
import Testing

/// SQL takes `NULL = 'x'` for neither true nor false; to Swift it is false wherever it is a value.
@Suite("Conditions that SQL finds unknown, as values")
struct UncertainConditionTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Haul.self, Pier.self, Excursion.self, Stopover.self, Town.self)
    try store.blocking.insert([
      Excursion(id: 1, name: "Alps", country: "CH", price: 1, seats: 1, startsAt: .now),
      Excursion(id: 2, name: "Sea", price: 1, seats: 1, startsAt: .now),
    ])
    try store.blocking.insert([
      Town(id: 1, name: "Bern", isCapital: true), Town(id: 2, name: "Oslo", isCapital: true),
    ])
    try store.blocking.insert([
      Pier(id: "p", size: 1, toll: 0), Pier(id: "h", name: "Hull", size: 1, toll: 0),
    ])
    try store.blocking.insert([
      Self.haul(1, ToOne("p")), Self.haul(2, ToOne("h")), Self.haul(3, nil),
    ])
  }

  private static func haul(_ id: Int, _ pier: ToOne<Pier>?) -> Haul {
    Haul(
      id: id, code: "", amount: 0, price: 0, weight: 0, at: .now, day: .now, isOpen: true, shade: .allCases[0],
      tags: [], measure: Measure(), pier: pier)
  }

  @Test("a named condition of a referenced row is false there, and nil without a row")
  func named() throws {
    let context = Context(store)
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      let all = Haul.all.sorted(by: \.id)
      #expect(try db.fetch(all.select { $0.pier.isHarbour }) == [false, true, nil])
      #expect(try db.fetch(all.select { $0.pier.isHarbour.or(true) }) == [false, true, true])
      #expect(try db.fetch(all.select { $0.isKnown.or($0.rank > 3) }) == [false, false, false])
      #expect(try db.fetch(Haul.where { $0.pier.isHarbour == false }).map(\.id) == [1])
      #expect(try db.fetch(Haul.where { $0.pier.isHarbour == nil }).map(\.id) == [3])
      #expect(try db.fetch(Pier.all.sorted(by: \.id).select { $0.isHarbour }) == [true, false])
    }
    try store.blocking.updateAll(Haul.all) { $0.isKnown.set { $0.pier.isHarbour } }
    #expect(try store.blocking.fetch(Haul.all.sorted(by: \.id)).map(\.isKnown) == [false, true, nil])
  }

  @Test("the least and greatest of conditions take false into account, and their number counts what satisfies them")
  func aggregates() throws {
    let context = Context(store)
    for db in [store.blocking, context] as [any StoreReader] {
      #expect(try db.min(Excursion.all) { $0.country == "CH" } == false)
      #expect(try db.max(Excursion.all) { $0.country == "CH" } == true)
      #expect(try db.max(Excursion.where { $0.country == nil }) { $0.country == "CH" } == false)
      let join = Excursion.join(Town.self) { tour, town in tour.id == town.id }
      let counts = join.grouped(by: { _, town in town.isCapital }) {
        ($0.count, $0.count { tour, _ in tour.country == "CH" }, $0.min { tour, _ in tour.country == "CH" })
      }
      let found = try db.fetch(counts.map { "\($0) \($1) \($2.map { "\($0)" } ?? "nil")" })
      #expect(found == ["2 1 false"])
      let values = Excursion.all.grouped(by: \.seats) {
        ($0.count { $0.country == "CH" }, $0.count { $0.country }, $0.count(distinct: { $0.price }))
      }
      #expect(try db.fetch(values.map { [$0, $1, $2] }) == [[1, 1, 1]])
    }
  }

  @Test("conditions of a group add up, leave the group and its key alone, and hold in its conditions and sorts")
  func conditionsOfGroups() throws {
    let towns = try Store(inMemoryFor: Town.self, Excursion.self, Stopover.self)
    try towns.blocking.insert((1...6).map { Town(id: $0, name: "\($0)", isCapital: $0 % 3 == 0) })
    let context = Context(towns)
    for db in [towns.blocking, context] as [any StoreReader] {
      let all = Town.all.grouped(by: { $0.id > 4 }) { group in
        let large = group.where { $0.id > 1 }.where { $0.id != 3 }
        return (
          group.key, group.count, group.count(\.isCapital), large.count, large.count(\.isCapital), large.sum(\.id)
        )
      }
      let found = try db.fetch(all).map { "\($0) \($1) \($2) \($3) \($4) \($5)" }
      #expect(found == ["false 4 1 2 0 6", "true 2 1 2 1 11"])
      #expect(try db.fetch(all.having { $0.where { $0.isCapital }.min(\.id) == 6 }).map(\.0) == [true])
      #expect(try db.fetch(all.sorted { $0.where { $0.id < 3 }.count }).map(\.0) == [true, false])
      let none = Town.all.grouped(by: \.isCapital) { group in
        let part = group.where { $0.id > 9 }
        return (part.count, part.sum(\.id), part.average(\.id), part.max(\.name))
      }
      for (count, sum, mean, name) in try db.fetch(none) {
        #expect(count == 0 && sum == 0 && mean == nil && name == nil)
      }
    }
  }
}
