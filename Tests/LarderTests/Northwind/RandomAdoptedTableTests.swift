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
    TestSeed.tried(answered, .queries, "queries of adopted tables")
    #expect(answered > 2000, "seed \(seed): too few questions were answered")
  }

  @Test(
    "in random tables a condition changes and deletes the rows of plain Swift, in the store and in contexts, or none")
  func writing() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 41)
    var changed = 0
    for number in 0..<60 {
      let table = try RandomAdoptedTable(using: &generator)
      let store = try Store(at: table.file.path, for: AdoptedThing.self, schema: .existing)
      let context = Context(store)
      let child = context.child()
      let ids = try store.blocking.sql("select id from Things order by id", as: Int.self)
      let rows = ids.compactMap { try? store.blocking.find(AdoptedThing.self, $0) }
      for round in 0..<6 {
        guard let row = rows.randomElement(using: &generator) else { break }
        let question = AdoptedQuestion(kind: generator.pick(AdoptedQuestion.Kind.allCases), row: row)
        let place: Comment = "seed \(seed), table \(number), round \(round), \(table.declared): \(question.kind)"
        let expected = rows.filter(question.holds).map(\.id)
        do {
          switch round % 3 {
          case 0:
            try store.blocking.write { db in
              try change(db, question, expected, place)
              throw Undo()
            }
          case 1: try change(context, question, expected, place)
          default: try change(child, question, expected, place)
          }
          changed += 1
        } catch is Undo {
          changed += 1
        } catch let error as StoreError {
          #expect(rows.count < ids.count, "\(place): \(error)")
          #expect(error.code == .invalidValue, "\(place): \(error)")
        }
        child.rollback()
        context.rollback()
        #expect(try store.blocking.sql("select id from Things order by id", as: Int.self) == ids, place)
      }
    }
    TestSeed.tried(changed * 3, .operations, "changes of adopted tables")
    #expect(changed > 100, "seed \(seed): too few changes were made")
  }

  private struct Undo: Error {}

  /// The stored values; the texts by their bytes, because not all of them are valid.
  private static let stored = SQL(
    raw:
      "select \(RandomAdoptedTable.columns.map { $0.name == "text" ? "typeof(text) || hex(text) as text" : $0.name }.joined(separator: ", ")) from Things order by id"
  )

  private func change(
    _ db: some StoreWriter, _ question: AdoptedQuestion, _ expected: [Int], _ place: Comment
  ) throws {
    let mark = Data("mark".utf8)
    let query = AdoptedThing.where { question.condition($0) }
    #expect(try db.fetch(query.sorted(by: \.id)).map(\.id) == expected, place)
    try db.updateAll(query) { $0.data.set(mark) }
    #expect(try db.fetch(AdoptedThing.where { $0.data == mark }.sorted(by: \.id)).map(\.id) == expected, place)
    try db.deleteAll(AdoptedThing.where { !question.condition($0) })
    #expect(try db.fetch(AdoptedThing.all.sorted(by: \.id)).map(\.id) == expected, place)
  }

  @Test("in random tables a flag is a condition by itself, and so is its negation, in the store and in contexts")
  func bareFlags() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 43)
    var answered = 0
    for number in 0..<60 {
      let table = try RandomAdoptedTable(using: &generator)
      if generator.once(in: 2) { try table.file.sql("update Things set flag = 1 where flag is null") }
      let store = try Store(at: table.file.path, for: AdoptedSwitch.self, schema: .existing)
      let ids = try store.blocking.sql("select id from Things order by id", as: Int.self)
      let rows = ids.compactMap { try? store.blocking.find(AdoptedSwitch.self, $0) }
      let context = Context(store)
      let child = context.child()
      let questions: [(Query<AdoptedSwitch>, (AdoptedSwitch) -> Bool)] = [
        (AdoptedSwitch.where { $0.flag }, { $0.flag }), (AdoptedSwitch.where { !$0.flag }, { !$0.flag }),
        (AdoptedSwitch.where { $0.flag || $0.id < 3 }, { $0.flag || $0.id < 3 }),
        (AdoptedSwitch.where { !($0.flag && $0.id < 3) }, { !($0.flag && $0.id < 3) }),
      ]
      for (position, question) in questions.enumerated() {
        let expected = rows.filter(question.1).map(\.id)
        let place = "seed \(seed), table \(number), \(table.declared[0]), question \(position)"
        for (name, db) in [("store", store.blocking), ("context", context), ("child", child)]
          as [(String, any StoreWriter)]
        {
          defer {
            child.rollback()
            context.rollback()
          }
          do {
            #expect(try db.fetch(question.0.sorted(by: \.id)).map(\.id) == expected, "\(place), \(name)")
            answered += 1
            guard name != "store" else { continue }
            _ = try db.deleteAll(question.0)
            #expect(try db.count(AdoptedSwitch.all) == ids.count - expected.count, "\(place), \(name)")
          } catch let error as StoreError {
            #expect(rows.count < ids.count && error.code == .invalidValue, "\(place), \(name): \(error)")
          }
        }
      }
    }
    TestSeed.tried(answered, .queries, "conditions that are a flag")
    #expect(answered > 200, "seed \(seed): too few questions were answered")
  }

  @Test("in random tables a row that was found and saved is the same row, in the form in which it stood")
  func saving() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 37)
    for number in 0..<40 {
      let table = try RandomAdoptedTable(using: &generator)
      let db = try table.open()
      let before = try db.sql(Self.stored)
      for id in try db.sql("select id from Things", as: Int.self) {
        guard let row = try? db.find(AdoptedThing.self, id) else { continue }
        try db.save(row)
        try db.update(row)
        #expect(try db.find(AdoptedThing.self, id) == row)
      }
      let after = try db.sql(Self.stored)
      #expect(before.count == after.count)
      for (old, new) in zip(before, after) {
        for column in RandomAdoptedTable.columns.map(\.name)
        where column != "real" && column != "single" && column != "date" && column != "stamp" && column != "price" {
          #expect(old[column] == new[column], "seed \(seed), table \(number), \(table.declared), \(column)")
        }
      }
    }
  }
}

@Model("Things")
private struct AdoptedSwitch: Hashable {
  var id: Int
  var flag: Bool
}

/// A condition on one column, with a value that a row has.
private struct AdoptedQuestion {
  enum Kind: CaseIterable { case flag, bareFlag, number, real, single, text, laterText, date, stamp, mark, price }

  let kind: Kind
  let row: AdoptedThing

  func holds(for other: AdoptedThing) -> Bool {
    switch kind {
    case .flag: other.flag == row.flag
    case .bareFlag: other.flag ?? false
    case .number: other.number != row.number
    case .real: (other.real ?? 0) < (row.real ?? 1)
    case .single: other.single == row.single
    case .text: other.text == row.text
    case .laterText: Array((other.text ?? "").utf8).lexicographicallyPrecedes(Array((row.text ?? "a").utf8))
    case .date: other.date != row.date
    case .stamp: other.stamp == row.stamp
    case .mark: other.mark == row.mark
    case .price: (other.price ?? 0) >= (row.price ?? 1)
    }
  }

  func condition(_ columns: AdoptedThing.Columns) -> QueryExpression<Bool> {
    switch kind {
    case .flag: columns.flag == row.flag
    case .bareFlag: columns.flag.or(false)
    case .number: columns.number != row.number
    case .real: columns.real.or(0) < (row.real ?? 1)
    case .single: columns.single == row.single
    case .text: columns.text == row.text
    case .laterText: columns.text.or("") < (row.text ?? "a")
    case .date: columns.date != row.date
    case .stamp: columns.stamp == row.stamp
    case .mark: columns.mark == row.mark
    case .price: columns.price.or(0) >= (row.price ?? 1)
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
    try compare("single", \.single, { $0.single }, by: <)
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
