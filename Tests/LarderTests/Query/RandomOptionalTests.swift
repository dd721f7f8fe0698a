import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Quay: Hashable {
  var id: Int
  var name: String
}

/// A row with a required reference, which a context keeps while nothing is there that it refers to.
@Model
private struct Boat: Hashable {
  var id: Int
  var quay: ToOne<Quay>
}

/// Expressions across optional properties, small integers and missing rows, beside plain Swift.
@Suite("Random expressions across optionals")
struct RandomOptionalTests {
  private static let texts = ["", "a", "b", "é", "nul\u{0}", "100%"]
  private static let numbers: [Int16] = [0, 1, -1, 7, 32_767, -32_768]

  /// Text that may be nil, as a query says it and as plain Swift says it.
  private struct Text {
    let expression: QueryExpression<String?>
    let value: (Gauge) -> String?
    let text: String

    init(_ depth: Int, _ generator: inout SplitMix64) {
      let columns = Gauge.columns
      guard depth > 0 else {
        (expression, value, text) = (columns.nickname.expression, { $0.nickname }, "nickname")
        return
      }
      let inner = Text(depth - 1, &generator)
      let constant = generator.pick(RandomOptionalTests.texts)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        (expression, text) = (inner.expression + constant, "(\(inner.text) + \(constant.debugDescription))")
        value = { row in inner.value(row).map { $0 + constant } }
      case 1:
        (expression, text) = (constant + inner.expression, "(\(constant.debugDescription) + \(inner.text))")
        value = { row in inner.value(row).map { constant + $0 } }
      case 2:
        (expression, text) = (columns.name.expression + inner.expression, "(name + \(inner.text))")
        value = { row in inner.value(row).map { row.name + $0 } }
      case 3:
        (expression, text) = (inner.expression + columns.name.expression, "(\(inner.text) + name)")
        value = { row in inner.value(row).map { $0 + row.name } }
      case 4:
        (expression, text) = (inner.expression.or(columns.nickname.expression), "(\(inner.text) ?? nickname)")
        value = { inner.value($0) ?? $0.nickname }
      default:
        // What is never nil, in the place of what may be.
        (expression, text) = (columns.nickname.expression + inner.expression.or(columns.name), "(… ?? name)")
        value = { row in row.nickname.map { $0 + (inner.value(row) ?? row.name) } }
      }
    }
  }

  private static func rows(_ generator: inout SplitMix64) -> [Gauge] {
    (1...12).map { id in
      Gauge(
        id: id, small: Int8.random(in: -128...127, using: &generator), optionalSmall: generator.pickOrNil(numbers),
        name: generator.pick(texts), nickname: generator.pickOrNil(texts), isOpen: .random(using: &generator))
    }
  }

  @Test("joined texts, or(_:) and what an optional property is set to are those of plain Swift")
  func texts() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 101)
    for number in 0..<40 {
      let text = Text(Int.random(in: 1...4, using: &generator), &generator)
      let rows = Self.rows(&generator)
      let store = try Store(inMemoryFor: Gauge.self)
      try store.blocking.insert(rows)
      let context = Context(store)
      let place = "seed \(TestSeed.value), number \(number): \(text.text)"
      for db in [context.child(), context, store.blocking] as [any StoreWriter] {
        let sample = text.value(generator.pick(rows))
        let found = try db.fetch(Gauge.where { _ in text.expression == sample }.sorted(by: \.id)).map(\.id)
        #expect(found == rows.filter { same(text.value($0), sample) }.map(\.id), "\(place)")
        let whole = try db.fetch(Gauge.where { text.expression.or($0.name) == $0.name }.sorted(by: \.id)).map(\.id)
        #expect(whole == rows.filter { same(text.value($0) ?? $0.name, $0.name) }.map(\.id), "\(place)")
        let isRequired = Bool.random(using: &generator)
        _ = try db.updateAll(Gauge.where { $0.isOpen }) { gauge in
          if isRequired {
            gauge.nickname.set { text.expression.or($0.name) }
            gauge.optionalSmall.set { _ in Gauge.columns.optionalSmall.or(3) }
          } else {
            gauge.nickname.set { _ in text.expression }
          }
        }
        let after = rows.map { row in
          guard row.isOpen else { return row }
          var row = row
          row.nickname = isRequired ? text.value(row) ?? row.name : text.value(row)
          if isRequired { row.optionalSmall = row.optionalSmall ?? 3 }
          return row
        }
        for (row, expected) in zip(try db.fetch(Gauge.all.sorted(by: \.id)), after) {
          #expect(row == expected && same(row.nickname, expected.nickname), "\(place)")
        }
        // The next one begins with the same rows.
        (db as? Context)?.rollback()
      }
    }
    TestSeed.tried(360, .queries, "expressions across optionals")
  }

  private func same(_ left: String?, _ right: String?) -> Bool {
    left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
  }

  @Test("the least, the greatest and the sum of optional and of small numbers are those of plain Swift")
  func groups() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 103)
    for number in 0..<20 {
      let store = try Store(inMemoryFor: Gauge.self)
      let context = Context(store)
      let all = Self.rows(&generator)
      // Some are in the store, some are in the context alone.
      let rows = Dictionary(grouping: all) { $0.id % 2 == 0 }
      try store.blocking.insert(rows[true] ?? [])
      for row in rows[false] ?? [] { context.insert(row) }
      for (db, rows) in [(store.blocking, rows[true] ?? []), (context, all)] as [(any StoreReader, [Gauge])] {
        let place = "seed \(TestSeed.value), number \(number): \(type(of: db))"
        let groups = Dictionary(grouping: rows, by: \.isOpen).sorted { !$0.key && $1.key }
        let found = try db.fetch(
          Gauge.all.grouped(by: \.isOpen) {
            ($0.key, $0.min(\.optionalSmall), $0.max(\.nickname), $0.sum(\.small), $0.sum(\.optionalSmall))
          })
        let (least, greatest): ([Int16?], [String?]) = (found.map(\.1), found.map(\.2))
        let (smalls, optionals): ([Int], [Int]) = (found.map(\.3), found.map(\.4))
        #expect(found.map(\.0) == groups.map(\.key), "\(place)")
        #expect(least == groups.map { $0.value.compactMap(\.optionalSmall).min() }, "\(place)")
        let texts = groups.map { group in
          group.value.compactMap(\.nickname).max { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        }
        #expect(zip(greatest, texts).allSatisfy { same($0, $1) } && greatest.count == texts.count, "\(place)")
        #expect(smalls == groups.map { $0.value.reduce(0) { $0 + Int($1.small) } }, "\(place)")
        #expect(optionals == groups.map { $0.value.reduce(0) { $0 + Int($1.optionalSmall ?? 0) } }, "\(place)")
        #expect(try db.sum(Gauge.all, of: \.small) == rows.reduce(0) { $0 + Int($1.small) }, "\(place)")
        let sum = rows.reduce(0) { $0 + Int($1.optionalSmall ?? 0) }
        #expect(try db.sum(Gauge.all, of: \.optionalSmall) == sum, "\(place)")
        let minimum: Int16? = try db.min(Gauge.all, of: \.optionalSmall)
        #expect(minimum == rows.compactMap(\.optionalSmall).min(), "\(place)")
      }
    }
    TestSeed.tried(280, .queries, "groups of optionals")
  }

  @Test("a group by a property of the row that is referred to has its value, or is refused while that row is missing")
  func references() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 107)
    for number in 0..<25 {
      let store = try Store(inMemoryFor: Boat.self, Quay.self)
      let context = Context(store)
      let child: any StoreWriter = context.child()
      var names: [Int: String] = [:]
      var boats: [Int: Int] = [:]
      for step in 0..<10 {
        let id = Int.random(in: 1...3, using: &generator)
        if generator.once(in: 2) {
          let name = generator.pick(["a", "b"])
          names[id] = name
          try child.save(Quay(id: id, name: name))
        } else {
          boats[step] = id
          try child.insert(Boat(id: step, quay: ToOne(id)))
        }
        let place = "seed \(TestSeed.value), number \(number), step \(step): \(boats), \(names)"
        let query = Boat.all.grouped(by: \.quay.name) { ($0.key, $0.count) }
        if boats.values.allSatisfy({ names[$0] != nil }) {
          let groups = Dictionary(grouping: boats.values) { names[$0] ?? "" }.mapValues(\.count)
          let found = try child.fetch(query).map { ($0.0, $0.1) }
          #expect(Dictionary(found) { $0 + $1 } == groups && found.count == groups.count, "\(place)")
        } else {
          let error = #expect(throws: StoreError.self, "\(place)") { try child.fetch(query) }
          #expect(error?.code == .referenced && error?.model == "Boat" && error?.property == "quay", "\(place)")
        }
      }
    }
    TestSeed.tried(250, .queries, "groups by a reference")
  }
}
