import Foundation
import Larder
import LarderTestSupport
import Testing

/// A shape of a model whose references come and go.
private protocol ChangingLinks: Linked {
  /// The names of the references, as in ``Linked/links``.
  static var names: [String] { get }
}

/// Two models with all their references.
private enum EveryRule {
  @Model("RuleBox") struct Box {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<Box>?
    @Relationship(deleteRule: .deny) var b: ToOne<Item>?
  }

  @Model("RuleItem") struct Item {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<Box>?
    @Relationship(deleteRule: .deny) var b: ToOne<Box>?
    @Relationship(deleteRule: .nullify) var c: ToOne<Item>?
  }
}

/// Most references have left, one of them has another rule.
private enum FewRules {
  @Model("RuleBox") struct Box {
    var id: Int
  }

  @Model("RuleItem") struct Item {
    var id: Int
    @Relationship(deleteRule: .nullify) var a: ToOne<Box>?
  }
}

/// One table kept what the other one gave up.
private enum OtherRules {
  @Model("RuleBox") struct Box {
    var id: Int
    @Relationship(deleteRule: .noAction) var b: ToOne<Item>?
  }

  @Model("RuleItem") struct Item {
    var id: Int
    @Relationship(deleteRule: .cascade) var c: ToOne<Item>?
    @Relationship(deleteRule: .deny) var b: ToOne<Box>?
  }
}

private enum NoRules {
  @Model("RuleBox") struct Box { var id: Int }

  @Model("RuleItem") struct Item { var id: Int }
}

/// What the columns of the references hold, also while their properties are removed.
private struct ExpectedReferences {
  var values: [LinkedRows.Key: [String: Int]] = [:]
  /// The references that the file has columns for, and the models have properties for, by table.
  private var known: [Set<String>] = [[], []]
  private var present: [Set<String>] = [[], []]

  /// A reference that is back is nil where its row has gone meanwhile.
  mutating func open(_ types: [any ChangingLinks.Type]) {
    let keys = Set(values.keys)
    for (table, type) in types.enumerated() {
      for (name, link) in zip(type.names, type.links)
      where known[table].contains(name) && !present[table].contains(name) {
        for key in keys where key.table == table {
          guard let id = values[key]?[name], !keys.contains(LinkedRows.Key(table: link.table, id: id)) else { continue }
          values[key]?[name] = nil
        }
      }
      present[table] = Set(type.names)
      known[table].formUnion(type.names)
    }
  }

  /// The rows as the models see them.
  func rows(_ types: [any ChangingLinks.Type]) -> LinkedRows {
    var rows = LinkedRows(links: types.map { $0.links })
    for (key, values) in values { rows.targets[key] = types[key.table].names.map { values[$0] } }
    return rows
  }

  /// Takes over what the models see; other columns stay.
  mutating func update(_ rows: LinkedRows, _ types: [any ChangingLinks.Type]) {
    values = values.filter { rows.targets[$0.key] != nil }
    for (key, targets) in rows.targets {
      for (name, target) in zip(types[key.table].names, targets) { values[key, default: [:]][name] = target }
      if values[key] == nil { values[key] = [:] }
    }
  }

  func columns(of table: Int) -> [String] { known[table].sorted() }
}

@Suite("Random changes of delete rules")
struct RandomRuleTests {
  private static let shapes: [[any ChangingLinks.Type]] = [
    [EveryRule.Box.self, EveryRule.Item.self], [FewRules.Box.self, FewRules.Item.self],
    [OtherRules.Box.self, OtherRules.Item.self], [NoRules.Box.self, NoRules.Item.self],
  ]

  @Test("a rule holds while its property is there, and rests while it is not")
  func walks() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 43)
    for walk in 0..<12 {
      let file = try StoreFile()
      var expected = ExpectedReferences()
      for step in 0..<6 {
        let types = step == 0 ? Self.shapes[0] : generator.pick(Self.shapes)
        let place = "seed \(seed), walk \(walk), step \(step), \(types)"
        // A named migration says that a shape from before is meant on purpose.
        let migrations = (0...step).map { Migration("\($0)") { _ in } }
        let store = try Store(at: file.path, for: types, configuration: Store.Configuration(migrations: migrations))
        expected.open(types)
        try compare(expected, types, store, place)
        for transaction in 0..<5 {
          // The first transactions fill the tables.
          try perform(step == 0 ? transaction : 2, types, &expected, store, &generator, place)
          try compare(expected, types, store, place)
        }
        try store.blocking.close()
      }
    }
    TestSeed.tried(12 * 6 * 5, .operations, "transactions with delete rules")
  }

  /// Does a random transaction in the store, or in a context that is saved, and in plain Swift.
  private func perform(
    _ transaction: Int, _ types: [any ChangingLinks.Type], _ expected: inout ExpectedReferences, _ store: Store,
    _ generator: inout SplitMix64, _ place: String
  ) throws {
    let tables = LinkedTables(types: types)
    var rows = expected.rows(types)
    let steps = tables.steps(rows, transaction, &generator)
    var changed = expected
    let outcome = Result {
      for step in steps {
        try tables.apply(step, to: &rows)
        changed.update(rows, types)
      }
      try rows.commit()
    }
    let result =
      generator.once(in: 2)
      ? Result { try store.blocking.write { try tables.apply(steps, to: $0) } }
      : Result {
        let context = Context(store)
        try tables.apply(steps, to: context)
        try context.save()
      }
    switch (outcome, result) {
    case (.success, .success): expected = changed
    case (.failure, .failure(let error as StoreError)) where error.code == .referenced: break
    default: Issue.record("\(result), and plain Swift \(outcome); \(steps); \(place)")
    }
  }

  private func compare(
    _ expected: ExpectedReferences, _ types: [any ChangingLinks.Type], _ store: Store, _ place: String
  ) throws {
    for (table, name) in ["RuleBox", "RuleItem"].enumerated() {
      let columns = expected.columns(of: table)
      let rows = try store.blocking.sql(SQL(raw: "select \((["id"] + columns).joined(separator: ", ")) from \(name)"))
      let found = try rows.map { row in
        (
          LinkedRows.Key(table: table, id: try row.get("id")),
          Dictionary(
            uniqueKeysWithValues: columns.compactMap { column in row[column]?.integer.map { (column, Int($0)) } })
        )
      }
      let wanted = expected.values.filter { $0.key.table == table }
      try #require(Dictionary(uniqueKeysWithValues: found) == wanted, "\(place): \(name)")
    }
    let read = try LinkedTables(types: types).read(store.blocking, types.map { $0.links })
    try #require(read == expected.rows(types), "\(place)")
  }
}

private func reference<Target: Model>(_ id: Int?) -> ToOne<Target>? where Target.ID == Int { id.map { ToOne($0) } }

extension EveryRule.Box: ChangingLinks {
  static let names = ["a", "b"]
  static let links = [Link(rule: .cascade, table: 0), Link(rule: .deny, table: 1)]
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id] }
    set { (a, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension EveryRule.Item: ChangingLinks {
  static let names = ["a", "b", "c"]
  static let links = [Link(rule: .cascade, table: 0), Link(rule: .deny, table: 0), Link(rule: .nullify, table: 1)]
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id, c?.id] }
    set { (a, b, c) = (reference(newValue[0]), reference(newValue[1]), reference(newValue[2])) }
  }
}

extension FewRules.Box: ChangingLinks {
  static let names: [String] = []
  static let links: [Link] = []
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  var targets: [Int?] {
    get { [] }
    set {}
  }
}

extension FewRules.Item: ChangingLinks {
  static let names = ["a"]
  static let links = [Link(rule: .nullify, table: 0)]
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id] }
    set { a = reference(newValue[0]) }
  }
}

extension OtherRules.Box: ChangingLinks {
  static let names = ["b"]
  static let links = [Link(rule: .noAction, table: 1)]
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  init(id: Int) { self.init(id: id, b: nil) }
  var targets: [Int?] {
    get { [b?.id] }
    set { b = reference(newValue[0]) }
  }
}

extension OtherRules.Item: ChangingLinks {
  static let names = ["c", "b"]
  static let links = [Link(rule: .cascade, table: 1), Link(rule: .deny, table: 0)]
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  init(id: Int) { self.init(id: id, c: nil) }
  var targets: [Int?] {
    get { [c?.id, b?.id] }
    set { (c, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension NoRules.Box: ChangingLinks {
  static let names: [String] = []
  static let links: [Link] = []
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  var targets: [Int?] {
    get { [] }
    set {}
  }
}

extension NoRules.Item: ChangingLinks {
  static let names: [String] = []
  static let links: [Link] = []
  fileprivate static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  var targets: [Int?] {
    get { [] }
    set {}
  }
}
