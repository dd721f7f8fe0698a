import Foundation
import Larder
import LarderTestSupport
import Testing

/// Changes of a store, a context or a child, and the same in plain Swift.
extension HaulTerms {
  /// - Parameter time: When the piers expire that do.
  mutating func change(_ db: some StoreWriter, _ world: inout HaulWorld, expires time: Date, _ place: String) throws {
    switch draw(12) {
    case 0: try savePier(db, &world, time)
    case 1:
      let key = generator.pick(Pier.keys)
      try db.delete(Pier.self, key)
      world.deletePier(key)
    case 2:
      let key = 1 + draw(12)
      try db.delete(Haul.self, key)
      world.delete(key)
    case 3: try deleteAll(db, &world, place)
    case 4, 5: try updateAll(db, &world, place)
    case 6: try update(db, &world, place)
    case 7: try saveByLabel(db, &world, place)
    case 8: try insertIfAbsent(db, &world, place)
    default: try save(db, &world, place)
    }
  }

  private mutating func haul(_ world: HaulWorld) -> Haul {
    Haul(id: 1 + draw(12), piers: world.allPiers.map(\.id), hauls: world.allHauls.map(\.id), using: &generator)
  }

  mutating func savePier(_ db: some StoreWriter, _ world: inout HaulWorld, _ time: Date) throws {
    let pier = Pier(id: generator.pick(Pier.keys), using: &generator)
    let expires = draw(3) == 0
    try db.save(pier, expires: expires ? time : nil)
    world.save(pier, expires: expires)
  }

  private mutating func save(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    let row = haul(world)
    if let holder = world.holder(of: row.label), holder.id != row.id {
      let error = #expect(throws: StoreError.self, "\(place): \(row)") { try db.save(row) }
      #expect(error?.code == .duplicate, "\(place): \(row)")
    } else {
      try db.save(row)
      world.save(row)
    }
  }

  private mutating func saveByLabel(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    var row = haul(world)
    let holder = world.holder(of: row.label)
    guard holder != nil || world.hauls[row.id] == nil else {
      // Without such a label it is inserted, and its key is there.
      let error = #expect(throws: StoreError.self, "\(place): \(row)") { try db.save(row, onConflict: \.label) }
      #expect(error?.code == .duplicate, "\(place): \(row)")
      return
    }
    let saved = try db.save(row, onConflict: \.label)
    row.id = holder?.id ?? row.id
    #expect(saved.tokens == row.tokens, "\(place): saved by the label")
    world.save(row)
  }

  private mutating func insertIfAbsent(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    let row = haul(world)
    let isThere = world.hauls[row.id] != nil || world.holder(of: row.label) != nil
    #expect(try db.insertIfAbsent(row) != isThere, "\(place): \(row)")
    if !isThere { world.save(row) }
  }

  private mutating func update(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    let row = haul(world)
    guard var changed = world.hauls[row.id] else {
      let error = #expect(throws: StoreError.self, "\(place): \(row)") { try db.update(row, only: \.amount) }
      #expect(error?.code == .notFound, "\(place)")
      return
    }
    if draw(2) == 0 {
      try db.update(row, only: \.tags, \.fee, \.left, \.measure.unit)
      (changed.tags, changed.fee, changed.left, changed.measure.unit) = (row.tags, row.fee, row.left, row.measure.unit)
    } else {
      try db.update(row, only: \.marks, \.parent, \.isKnown)
      (changed.marks, changed.parent, changed.isKnown) = (row.marks, row.parent, row.isKnown)
    }
    world.save(changed)
  }

  private mutating func deleteAll(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    let (condition, least) = (condition(2), 1 + draw(12))
    let rows = world.allHauls.filter { $0.id >= least && condition.value($0, world) }
    let count = try db.deleteAll(Haul.where { $0.id >= least && condition.build($0) })
    #expect(count == rows.count, "\(place): deleted after \(least) \(condition.text)")
    for row in rows { world.delete(row.id) }
  }

  private mutating func updateAll(_ db: some StoreWriter, _ world: inout HaulWorld, _ place: String) throws {
    let (condition, number, maybe) = (condition(2), int(1), optionalInt(1))
    let (date, end, text) = (date(1), optionalDate(1), optionalText(1))
    let rows = world.allHauls.filter { condition.value($0, world) }
    let words = """
      \(place): updated where \(condition.text): amount \(number.text) % 5, rank \(maybe.text), day \(date.text), \
      due \(end.text), measure.unit \(text.text)
      """
    let count = try db.updateAll(Haul.where { condition.build($0) }) { haul in
      haul.amount.set { number.build($0) % 5 }
      haul.rank.set { maybe.build($0) }
      haul.day.set { date.build($0) }
      haul.due.set { end.build($0) }
      haul.measure.unit.set { text.build($0) }
    }
    #expect(count == rows.count, "\(words)")
    let before = world
    for row in rows {
      var changed = row
      (changed.amount, changed.rank) = (number.value(row, before) % 5, maybe.value(row, before))
      (changed.day, changed.due) = (date.value(row, before), end.value(row, before))
      changed.measure.unit = text.value(row, before)
      world.save(changed)
    }
    #expect(try db.fetch(Haul.all.sorted(by: \.id)).map(\.tokens) == world.allHauls.map(\.tokens), "\(words)")
  }
}
