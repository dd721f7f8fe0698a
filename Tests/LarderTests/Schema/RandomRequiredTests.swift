import Larder
import LarderTestSupport
import Testing

/// The columns that every shape has: what each row holds.
private struct Values: Hashable {
  var a: String?
  var b: Int?
  var c: Double?
}

/// A shape of one model, some of whose properties must have a value.
private protocol RequiredShape: Model where ID == Int {
  /// What takes the place of nil in the properties that must have a value and have a default.
  static var defaults: Values { get }
  /// The columns without a default that must have a value.
  static var needed: Set<String> { get }
  var values: Values { get set }
  init(id: Int, values: Values)
}

private enum RequiredShapes {
  @Model("Note") struct Free: RequiredShape {
    var id: Int
    var a: String?
    var b: Int?
    var c: Double?
    static let (defaults, needed) = (Values(), Set<String>())
    var values: Values {
      get { Values(a: a, b: b, c: c) }
      set { (a, b, c) = (newValue.a, newValue.b, newValue.c) }
    }
    init(id: Int, values: Values) { (self.id, a, b, c) = (id, values.a, values.b, values.c) }
  }

  @Model("Note") struct TextRequired: RequiredShape {
    var id: Int
    @Attribute(.indexed) var a: String = "none"
    var b: Int?
    var c: Double?
    static let (defaults, needed) = (Values(a: "none"), Set<String>())
    var values: Values {
      get { Values(a: a, b: b, c: c) }
      set { (a, b, c) = (newValue.a ?? "", newValue.b, newValue.c) }
    }
    init(id: Int, values: Values) { (self.id, a, b, c) = (id, values.a ?? "", values.b, values.c) }
  }

  @Model("Note") struct NumbersRequired: RequiredShape {
    var id: Int
    @Attribute(.searchable) var a: String?
    var b: Int = -1
    var c: Double = 0.5
    static let (defaults, needed) = (Values(b: -1, c: 0.5), Set<String>())
    var values: Values {
      get { Values(a: a, b: b, c: c) }
      set { (a, b, c) = (newValue.a, newValue.b ?? 0, newValue.c ?? 0) }
    }
    init(id: Int, values: Values) { (self.id, a, b, c) = (id, values.a, values.b ?? 0, values.c ?? 0) }
  }

  @Model("Note") struct NumberNeeded: RequiredShape {
    var id: Int
    var a: String = ""
    var b: Int
    var c: Double?
    static let (defaults, needed) = (Values(a: ""), Set(["b"]))
    var values: Values {
      get { Values(a: a, b: b, c: c) }
      set { (a, b, c) = (newValue.a ?? "", newValue.b ?? 0, newValue.c) }
    }
    init(id: Int, values: Values) { (self.id, a, b, c) = (id, values.a ?? "", values.b ?? 0, values.c) }
  }

  @Model("Note") struct AllNeeded: RequiredShape {
    var id: Int
    var a: String
    var b: Int
    var c: Double
    static let (defaults, needed) = (Values(), Set(["a", "b", "c"]))
    var values: Values {
      get { Values(a: a, b: b, c: c) }
      set { (a, b, c) = (newValue.a ?? "", newValue.b ?? 0, newValue.c ?? 0) }
    }
    init(id: Int, values: Values) {
      (self.id, a, b, c) = (id, values.a ?? "", values.b ?? 0, values.c ?? 0)
    }
  }
}

@Suite("Random properties that become required")
struct RandomRequiredTests {
  private static let shapes: [any RequiredShape.Type] = [
    RequiredShapes.Free.self, RequiredShapes.TextRequired.self, RequiredShapes.NumbersRequired.self,
    RequiredShapes.NumberNeeded.self, RequiredShapes.AllNeeded.self,
  ]

  /// What a named migration does.
  private enum Work: CaseIterable { case nothing, fills, reads, fillsAndReads }

  @Test(
    "migrations see each missing value as its default, and what has none is refused until a migration has filled it")
  func walks() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 113)
    for walk in 0..<15 {
      let file = try StoreFile()
      var migrations: [Migration] = []
      var rows: [Int: Values] = [:]
      for step in 0..<6 {
        let shape = generator.pick(Self.shapes)
        let work = step == 0 ? nil : generator.pickOrNil(Work.allCases)
        let place = "seed \(TestSeed.value), walk \(walk), step \(step): \(shape), \(work as Any)"
        try check(shape, work, file, step, &migrations, &rows, &generator, place)
      }
    }
    TestSeed.tried(90, .operations, "openings with required properties")
  }

  private func check<Shape: RequiredShape>(
    _ shape: Shape.Type, _ work: Work?, _ file: StoreFile, _ step: Int, _ migrations: inout [Migration],
    _ rows: inout [Int: Values], _ generator: inout SplitMix64, _ place: String
  ) throws {
    let fills = work == .fills || work == .fillsAndReads
    let reads = work == .reads || work == .fillsAndReads
    var expected = rows
    // Defaults come before migrations, so these fill what has none.
    for (id, values) in expected {
      let defaults = Shape.defaults
      expected[id] = Values(
        a: values.a ?? defaults.a ?? (fills ? "filled" : nil), b: values.b ?? defaults.b ?? (fills ? 77 : nil),
        c: values.c ?? defaults.c ?? (fills ? 7.5 : nil))
    }
    let isRefused = expected.values.contains { values in
      (Shape.needed.contains("a") && values.a == nil) || (Shape.needed.contains("b") && values.b == nil)
        || (Shape.needed.contains("c") && values.c == nil)
    }
    if reads {
      expected = expected.mapValues { values in
        var values = values
        values.b = values.b.map { $0 &* 2 }
        return values
      }
    }
    var next = migrations
    if work != nil {
      next.append(
        Migration("\(step)") { db in
          if fills {
            try db.sql(
              "update Note set a = coalesce(a, 'filled'), b = coalesce(b, 77), c = coalesce(c, 7.5)")
          }
          if reads {
            for var row in try db.fetch(Shape.all) {
              row.values.b = row.values.b.map { $0 &* 2 }
              try db.update(row)
            }
          }
        })
    }
    if isRefused {
      let (bytes, names) = try (file.bytes, file.names)
      let error = #expect(throws: StoreError.self, "\(place)") { _ = try file.open(Shape.self, migrations: next) }
      #expect(error?.code == (reads ? .migrationFailed : .schemaMismatch), "\(place): \(error as Any)")
      #expect(try file.bytes == bytes && file.names == names, "\(place): the file was changed")
      return
    }
    migrations = next
    let store = try file.open(Shape.self, migrations: migrations)
    let found = try store.blocking.fetch(Shape.all).map { ($0.id, $0.values) }
    #expect(Dictionary(uniqueKeysWithValues: found) == expected, "\(place)")
    // A migration that did not run again, and rows for the next step.
    rows = expected
    for _ in 0..<3 {
      let id = Int.random(in: 1...8, using: &generator)
      let values = Values(
        a: generator.pickOrNil(["x", "y"]), b: generator.pickOrNil([1, 2]), c: generator.pickOrNil([1.5]))
      let row = Shape(id: id, values: values)
      try store.blocking.save(row)
      rows[id] = row.values
    }
    try store.blocking.close()
    #expect(try Store.plan(at: file.path, for: Shape.self, configuration: .init(migrations: migrations)).isEmpty)
  }
}
