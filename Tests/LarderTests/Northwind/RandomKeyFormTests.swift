import Foundation
import Larder
import LarderTestSupport
import Testing

/// Tables of other programs whose keys stand there in every form that reading takes.
@Suite("Random keys of other programs")
struct RandomKeyFormTests {
  /// The forms of an identifier, of which a file may hold each.
  private static func forms(_ id: UUID) -> [Value] {
    let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
    return [.text(id.uuidString), .text(id.uuidString.lowercased()), .blob(bytes)]
  }

  @Test("a row that was found by an identifier is the row that is saved, as its key stands, and stays the only one")
  func identifiers() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 131)
    for number in 0..<20 {
      let file = try StoreFile()
      let declared = generator.pick(["", "TEXT", "BLOB", "UUID", "CHAR(36)"])
      try file.sql(
        SQL(raw: "create table Parcels (id \(declared) PRIMARY KEY, sentAt TEXT, label TEXT NOT NULL)"), creating: true)
      // Some columns hold one form alone.
      let choices = generator.pick([[0], [1], [2], [0, 1], [0, 1, 2]])
      var ids: [UUID] = []
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let id = UUID.v7()
        ids.append(id)
        let key = Self.forms(id)[generator.pick(choices)]
        try file.sql(SQL(raw: "insert into Parcels values (?, '2024-05-06', 'old')", arguments: [key]))
      }
      try check(
        ExistingParcel.self, ids, file, "Parcels", &generator,
        "seed \(TestSeed.value), number \(number): \(declared), \(choices)"
      ) { $0.label = $1 }
      // One that is new takes the place of none.
      let db = try Store(at: file.path, for: ExistingParcel.self, schema: .existing).blocking
      let count = try db.count(ExistingParcel.all)
      let added = ExistingParcel(id: .v7(), label: "added")
      try db.save(added)
      try db.save(added)
      #expect(try db.count(ExistingParcel.all) == count + 1)
    }
    TestSeed.tried(200, .operations, "rows with keys of other programs")
  }

  @Test("a row that was found by a date, a number and a price in text is the row that is saved, as its key stands")
  func compounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 137)
    let days = [
      "2024-05-06", "2024-05-07T00:00:00Z", "2024-05-08 02:00:00+02:00", "2024-05-09 10:00", "2024-05-10T10:15:00.250Z",
    ]
    let (numbers, prices): ([Value], [Value]) = (["007", "8", " 9", 10, "-3"], ["1.50", "2", 3, .real(4.5), "-0.250"])
    for number in 0..<20 {
      let file = try StoreFile()
      let types = (0..<3).map { _ in generator.pick(["", "TEXT", "BLOB"]) }
      try file.sql(
        SQL(
          raw:
            "create table Days (day \(types[0]), number \(types[1]), price \(types[2]), note TEXT, PRIMARY KEY (day, number, price))"
        ), creating: true)
      var count = 0
      for day in days where generator.once(in: 2) {
        for number in numbers where number != " 9" && generator.once(in: 2) {
          let key: [Value] = [.text(day), number, generator.pick(prices)]
          try file.sql(SQL(raw: "insert into Days values (?, ?, ?, 'old')", arguments: key))
          count += 1
        }
      }
      let place = "seed \(TestSeed.value), number \(number): \(types)"
      let ids = try Store(at: file.path, for: ExistingDay.self, schema: .existing).blocking.fetch(ExistingDay.all)
        .map(\.id)
      #expect(ids.count == count, "\(place)")
      try check(ExistingDay.self, ids, file, "Days", &generator, place) { $0.note = $1 }
    }
    TestSeed.tried(200, .operations, "rows with keys of other programs")
  }

  private func check<M: Model & Equatable>(
    _ model: M.Type, _ ids: [M.ID], _ file: StoreFile, _ table: String, _ generator: inout SplitMix64, _ place: String,
    _ change: (inout M, String) -> Void
  ) throws {
    let note = table == "Days" ? "note" : "label"
    func raw(_ store: Store) throws -> [Row] {
      try store.blocking.sql(SQL(raw: "select * from \(table) order by rowid"))
    }
    let names = table == "Days" ? ["day", "number", "price"] : ["id"]
    func keys(_ rows: [Row]) -> [[Value?]] { rows.map { row in names.map { row[$0] } } }
    let store = try Store(at: file.path, for: M.self, schema: .existing)
    let before = keys(try raw(store))
    let context = Context(store)
    for (number, id) in ids.enumerated() {
      let child = context.child()
      let text = "new \(number)"
      let way = Int.random(in: 0..<6, using: &generator)
      let db: any StoreWriter = [store.blocking, store.blocking, store.blocking, context, child, child][way]
      var row = try #require(try db.find(M.self, id), "\(place)")
      change(&row, text)
      if generator.once(in: 2) { try db.save(row) } else { try db.update(row) }
      #expect(try db.find(M.self, id) == row, "\(place), way \(way)")
      #expect(throws: StoreError.self, "\(place), way \(way)") { try db.insert(row) }
      try child.save()
      try context.save()
      let after = try raw(store)
      #expect(keys(after) == before, "\(place), way \(way)")
      #expect(after.filter { $0[note] == .text(text) }.count == 1, "\(place), way \(way)")
      #expect(try store.blocking.find(M.self, id) == row, "\(place), way \(way)")
    }
    for id in ids where generator.once(in: 3) {
      let db: any StoreWriter = generator.once(in: 2) ? context : store.blocking
      #expect(try db.delete(M.self, id), "\(place)")
      try context.save()
      #expect(try store.blocking.find(M.self, id) == nil, "\(place)")
    }
  }
}
