import Foundation
import Larder
import Testing

@Suite struct UpdateAllTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample(count: 60) }

  /// The update makes of every row what the closure makes of it, and leaves the others alone.
  private func check(
    _ query: Query<Specimen>, _ changes: (Assignments<Specimen>) -> Void, where isChanged: (Specimen) -> Bool,
    _ change: (inout Specimen) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try sample.db.fetch(Specimen.all.sorted(by: \.id))
    let expected = before.map { row in
      var row = row
      if isChanged(row) { change(&row) }
      return row
    }
    let count = try sample.db.updateAll(query, changes)
    #expect(count == before.count(where: isChanged), "seed \(sample.seed)", sourceLocation: sourceLocation)
    #expect(
      try sample.db.fetch(Specimen.all.sorted(by: \.id)) == expected, "seed \(sample.seed)",
      sourceLocation: sourceLocation)
  }

  @Test("values of every kind are set")
  func set() throws {
    let day = Date(timeIntervalSinceReferenceDate: 12.5)
    try check(
      Specimen.where { $0.isLive },
      { row in
        row.name.set("it's \u{0} \"new\"")
        row.nickname.set(nil)
        row.rank.set(4)
        row.price.set(12.5)
        row.bornAt.set(day)
        row.seenAt.set(day)
        row.leftAt.set(nil)
        row.token.set(Specimen.Pool.tokens[0])
        row.shade.set(.dark)
        row.level.set(.high)
        row.measure.unit.set("km")
        row.measure.grade.set(.middle)
        row.tags.set(["new", "t'ags"])
        row.notes.set(nil)
        row.marks.set([5])
        row.place.set(Place(city: "Rome", code: nil, spot: nil))
      }, where: \.isLive
    ) { row in
      row.name = "it's \u{0} \"new\""
      row.nickname = nil
      row.rank = 4
      row.price = 12.5
      row.bornAt = day
      row.seenAt = day
      row.leftAt = nil
      row.token = Specimen.Pool.tokens[0]
      row.shade = .dark
      row.level = .high
      row.measure.unit = "km"
      row.measure.grade = .middle
      row.tags = ["new", "t'ags"]
      row.notes = nil
      row.marks = [5]
      row.place = Place(city: "Rome", code: nil, spot: nil)
    }
  }

  @Test("numbers are incremented and multiplied, exactly where they are decimals")
  func arithmetic() throws {
    let tenth = try #require(Decimal(string: "0.1"))
    try check(
      Specimen.all,
      { row in
        row.amount.increment(by: -2)
        row.rank.increment(by: 1)
        row.price.increment(by: tenth)
        row.fee.multiply(by: tenth)
        row.measure.width.multiply(by: 2)
      }, where: { _ in true }
    ) { row in
      row.amount -= 2
      row.rank = row.rank.map { $0 + 1 }
      row.price += tenth
      row.fee = row.fee.map { $0 * tenth }
      row.measure.width *= 2
    }
  }

  @Test("what is said of one property twice happens one after the other")
  func twice() throws {
    let tenth = try #require(Decimal(string: "0.1"))
    try check(
      Specimen.where { $0.amount > 0 },
      { row in
        row.amount.increment(by: 1)
        row.amount.multiply(by: 3)
        row.rank.set(5)
        row.rank.increment(by: 2)
        row.price.set(2)
        row.price.increment(by: tenth)
        row.name.set("a")
        row.name.set("b")
      }, where: { $0.amount > 0 }
    ) { row in
      row.amount = (row.amount + 1) * 3
      row.rank = 7
      row.price = 2 + tenth
      row.name = "b"
    }
  }

  @Test("a value may be computed from the columns of the row, as they were")
  func computed() throws {
    try check(
      Specimen.all,
      { row in
        row.amount.set(0)
        row.bonus.set { $0.rank }
        row.rank.set { $0.bonus }
        row.name.set { $0.name + "!" }
        row.isLive.set { $0.rank > 1 }
        row.price.set { $0.price * $0.price }
      }, where: { _ in true }
    ) { row in
      row.amount = 0
      (row.bonus, row.rank, row.isLive) = (row.rank, row.bonus, (row.rank ?? 0) > 1)
      row.name += "!"
      row.price *= row.price
    }
  }

  @Test("a limit takes the first rows of the order alone")
  func limited() throws {
    let first = Set(sample.rows.sorted { ($0.amount, $0.id) < ($1.amount, $1.id) }.prefix(7).map(\.id))
    try check(Specimen.all.sorted(by: \.amount).limit(7), { $0.name.set("first") }, where: { first.contains($0.id) }) {
      $0.name = "first"
    }
  }

  @Test("nothing to set changes nothing, and no row is none")
  func nothing() throws {
    #expect(try sample.db.updateAll(Specimen.all) { _ in } == 0)
    #expect(try sample.db.updateAll(Specimen.where { $0.id < 0 }) { $0.name.set("x") } == 0)
  }

  @Test("a value that cannot be stored changes no row and names the property")
  func refused() throws {
    let before = try sample.db.fetch(Specimen.all.sorted(by: \.id))
    let error = try #require(throws: StoreError.self) {
      try sample.db.updateAll(Specimen.all) {
        $0.name.set("x"); $0.weight.set(.nan)
      }
    }
    #expect(error.code == .invalidValue)
    #expect(error.property == "weight")
    #expect(error.model == "Specimen")
    #expect(throws: StoreError.self) {
      try sample.db.updateAll(Specimen.all) {
        $0.amount.set(.max); $0.amount.increment(by: 1)
      }
    }
    #expect(try sample.db.fetch(Specimen.all.sorted(by: \.id)) == before)
  }

  @Test("A6: deleteAll deletes the rows of the query and answers how many")
  func delete() throws {
    let (db, rows) = (sample.db, sample.rows)
    let dark = rows.filter { $0.shade == .dark }
    #expect(try db.deleteAll(Specimen.where { $0.shade == .dark }) == dark.count)
    let rest = rows.filter { $0.shade != .dark }.sorted { ($0.weight, $0.id) < ($1.weight, $1.id) }
    #expect(try db.deleteAll(Specimen.all.sorted(by: \.weight).limit(3, offset: 2)) == 3)
    let left = (rest.prefix(2) + rest.dropFirst(5)).map(\.id).sorted()
    #expect(try sample.ids(Specimen.all) == left, "seed \(sample.seed)")
    let last = try #require(try db.first(Specimen.all.sorted(by: \.id, order: .reverse).limit(1, offset: 4)))
    #expect(try db.deleteAll(Specimen.all.sorted(by: \.id).after(last)) == 4)
    #expect(try db.deleteAll(Specimen.all.limit(0)) == 0)
    #expect(try db.deleteAll(Specimen.all) == left.count - 4)
    #expect(try db.count(Specimen.all) == 0)
  }

  @Test("deleteAll with a limit knows composite keys")
  func composite() throws {
    let db = try Store(inMemoryFor: PagedPair.self).blocking
    try db.insert([
      PagedPair(house: "a", number: 1), PagedPair(house: "a", number: 2), PagedPair(house: "b", number: 1),
      PagedPair(house: "b", number: 2),
    ])
    #expect(try db.deleteAll(PagedPair.all.sorted(by: \.number).limit(3)) == 3)
    #expect(try db.fetch(PagedPair.all) == [PagedPair(house: "b", number: 2)])
  }
}
