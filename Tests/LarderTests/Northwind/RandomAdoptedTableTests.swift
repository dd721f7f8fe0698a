import Foundation
import Larder
import LarderTestSupport
import Testing

/// In files that Larder did not make, conditions, sorts and aggregates follow what reading does, whatever the columns
/// hold; or they are refused.
@Suite struct RandomAdoptedTableTests {
  @Test(
    "in random tables of every mixture of kinds, each question has the answer of plain Swift over what was read, or is refused"
  )
  func tables() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 31)
    var answered = 0
    for number in 0..<60 {
      let table = try RandomAdoptedTable(using: &generator)
      let db = try table.open()
      let ids = try db.sql("select id from Things order by id", as: Int.self)
      let rows = ids.compactMap { try? db.find(AdoptedThing.self, $0) }
      var check = AdoptedTableCheck(
        db: db, rows: rows, areAll: rows.count == ids.count, place: "seed \(seed), table \(number), \(table.declared)")
      try check.everything()
      answered += check.answered
    }
    TestSeed.tried(answered, "queries of adopted tables")
    #expect(answered > 2000, "seed \(seed): too few questions were answered")
  }

  @Test("in random tables a row that was found and saved is the same row, in the form in which it stood")
  func saving() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 37)
    for number in 0..<40 {
      let table = try RandomAdoptedTable(using: &generator)
      let db = try table.open()
      let before = try db.sql("select * from Things order by id")
      for id in try db.sql("select id from Things", as: Int.self) {
        guard let row = try? db.find(AdoptedThing.self, id) else { continue }
        try db.save(row)
        try db.update(row)
        #expect(try db.find(AdoptedThing.self, id) == row)
      }
      let after = try db.sql("select * from Things order by id")
      #expect(before.count == after.count)
      for (old, new) in zip(before, after) {
        for column in RandomAdoptedTable.columns.map(\.name)
        where column != "real" && column != "date" && column != "stamp" && column != "price" {
          #expect(old[column] == new[column], "seed \(seed), table \(number), \(table.declared), \(column)")
        }
      }
    }
  }
}

/// Asks the store and plain Swift the same questions.
private struct AdoptedTableCheck {
  let db: BlockingStore
  let rows: [AdoptedThing]
  /// Whether every row of the table can be read.
  let areAll: Bool
  let place: String
  var answered = 0

  mutating func everything() throws {
    try compare("flag", \.flag, { $0.flag })
    try compare("number", \.number, { $0.number }, by: <)
    try compare("real", \.real, { $0.real }, by: <)
    try compare("text", \.text, { $0.text }, by: { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    try compare("data", \.data, { $0.data }, by: { $0.lexicographicallyPrecedes($1) })
    try compare("date", \.date, { $0.date }, by: <)
    try compare("stamp", \.stamp, { $0.stamp }, by: <)
    try compare("mark", \.mark, { $0.mark }, by: { $0.uuidString < $1.uuidString })
    try compare("price", \.price, { $0.price }, by: <)
    try aggregates()
    try ask("flags", rows.filter { $0.flag == true }.map(\.id)) { try $0.ids(AdoptedThing.where { $0.flag == true }) }
    try ask("halves", rows.filter { ($0.real ?? 0) / 2 > 1 }.map(\.id)) {
      try $0.ids(AdoptedThing.where { $0.real.or(0) / 2 > 1 })
    }
    try ask("twice", rows.filter { ($0.price ?? 0) * 2 > 3 }.map(\.id)) {
      try $0.ids(AdoptedThing.where { $0.price.or(0) * 2 > 3 })
    }
    try ask("prefix", rows.filter { $0.text?.hasPrefix("1") == true }.map(\.id)) {
      try $0.ids(AdoptedThing.where { $0.text.hasPrefix("1") })
    }
  }

  private mutating func compare<Value: Hashable & Sendable>(
    _ name: String, _ path: KeyPath<AdoptedThing.Columns, Column<AdoptedThing, Value?>>,
    _ value: (AdoptedThing) -> Value?,
    by isLess: ((Value, Value) -> Bool)? = nil
  ) throws {
    let values = Array(Set(rows.compactMap(value)))
    for constant in values.prefix(4) {
      try ask("\(name) ==", rows.filter { value($0) == constant }.map(\.id)) {
        try $0.ids(AdoptedThing.where { $0[keyPath: path] == constant })
      }
      try ask("\(name) !=", rows.filter { value($0) != constant }.map(\.id)) {
        try $0.ids(AdoptedThing.where { $0[keyPath: path] != constant })
      }
      let list = [constant, nil]
      try ask("\(name) in", rows.filter { list.contains(value($0)) }.map(\.id)) {
        try $0.ids(AdoptedThing.where { $0[keyPath: path].isIn(list) })
      }
      guard let isLess else { continue }
      let below = rows.filter { row in value(row).map { isLess($0, constant) } ?? false }.map(\.id)
      try ask("\(name) <", below) { try $0.ids(AdoptedThing.where { $0[keyPath: path] < constant }) }
      let upTo = rows.filter { row in value(row).map { !isLess(constant, $0) } ?? false }.map(\.id)
      try ask("\(name) <=", upTo) { try $0.ids(AdoptedThing.where { $0[keyPath: path] <= constant }) }
    }
    try ask("\(name) nil", rows.filter { value($0) == nil }.map(\.id)) {
      try $0.ids(AdoptedThing.where { $0[keyPath: path] == nil })
    }
    let groups = Dictionary(grouping: rows, by: value).mapValues(\.count)
    try ask("\(name) groups", groups) { check in
      Dictionary(try check.db.fetch(AdoptedThing.all.grouped(by: path) { ($0.key, $0.count) })) { $0 + $1 }
    }
    guard let isLess else { return }
    let sorted = rows.map(value).sorted { left, right in
      switch (left, right) {
      case (nil, _?): true
      case (let left?, let right?): isLess(left, right)
      default: false
      }
    }
    try ask("\(name) sorted", sorted) { check in try check.db.fetch(AdoptedThing.all.sorted(by: path)).map(value) }
    try ask("\(name) least", values.min(by: isLess)) { try $0.db.min(AdoptedThing.all, of: path) }
    try ask("\(name) greatest", values.max(by: isLess)) { try $0.db.max(AdoptedThing.all, of: path) }
  }

  private mutating func aggregates() throws {
    try ask("sum of numbers", rows.compactMap(\.number).reduce(0, +)) { try $0.db.sum(AdoptedThing.all, of: \.number) }
    try ask("sum of prices", rows.compactMap(\.price).reduce(0, +)) { try $0.db.sum(AdoptedThing.all, of: \.price) }
    try ask("sum of reals", rows.compactMap(\.real).reduce(0, +)) { try $0.db.sum(AdoptedThing.all, of: \.real) }
  }

  private func ids(_ query: Query<AdoptedThing>) throws -> [Int] { try db.fetch(query.sorted(by: \.id)).map(\.id) }

  /// Expects the answer, or, where some row cannot be read, a refusal that names the model.
  private mutating func ask<Answer: Equatable>(
    _ question: String, _ expected: Answer, _ body: (Self) throws -> Answer
  ) throws {
    let answer: Answer
    do {
      answer = try body(self)
    } catch let error as StoreError {
      #expect(!areAll, "\(place): \(question) is refused: \(error)")
      #expect(error.code == .invalidValue, "\(place): \(question): \(error)")
      #expect(error.model == "AdoptedThing", "\(place): \(question): \(error)")
      return
    }
    answered += 1
    // An aggregate counts rows that cannot be read for what another column of theirs holds.
    if areAll || answer is [Int] { #expect(answer == expected, "\(place): \(question)") }
  }
}
