import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Scale: Hashable {
  var id: Int
  var short: Int16 = 0
  var byte: UInt8 = 0
  var half: UInt16 = 0
  var word: UInt32 = 0
  var wide: UInt64 = 0
  var natural: UInt = 0
  @Relationship(inverse: \ScaleMark.scale) var marks: ToMany<ScaleMark> = []
  @Derived(.sum(\Scale.marks, \ScaleMark.short)) var shortSum: Int16 = 0
  @Derived(.sum(\Scale.marks, \ScaleMark.byte)) var byteSum: UInt8 = 0
  @Derived(.sum(\Scale.marks, \ScaleMark.natural)) var naturalSum: UInt = 0
}

@Model
private struct ScaleMark: Hashable {
  var id: Int
  var short: Int16 = 0
  var byte: UInt8 = 0
  var natural: UInt = 0
  var scale: ToOne<Scale>?
}

/// A number that a property of the type can hold in a file.
private func isStorable<Number: FixedWidthInteger>(_ number: Int128, _ type: Number.Type) -> Bool {
  number >= Int128(Number.min) && number <= min(Int128(Number.max), Int128(Int64.max))
}

/// Integers that are short or unsigned, and sums of them, beside exact numbers of plain Swift.
@Suite("Random narrow integers")
struct RandomNarrowIntegerTests {
  private enum Place: CaseIterable { case store, context, child }

  /// Returns what writes in the place, and what saves it.
  private func open(_ place: Place) throws -> (store: Store, db: any StoreWriter, save: () throws -> Void) {
    let store = try Store(inMemoryFor: Scale.self, ScaleMark.self)
    guard place != .store else { return (store, store.blocking, {}) }
    let context = Context(store)
    let child = context.child()
    return (
      store, place == .context ? context : child,
      {
        try child.save()
        try context.save()
      }
    )
  }

  // MARK: Assignments

  private enum Operation: CaseIterable { case add, subtract, multiply }

  private struct NarrowProperty<Number: FixedWidthInteger & QueryNumber> {
    let name: String
    let path: WritableKeyPath<Scale, Number>
    let column: KeyPath<Scale.Columns, Column<Scale, Number>>
  }

  @Test("updateAll stores what its property can hold, and refuses all of it with the property and the row otherwise")
  func assignments() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 181)
    for number in 0..<60 {
      let place = "seed \(TestSeed.value), number \(number)"
      switch number % 6 {
      case 0:
        try assign(NarrowProperty(name: "short", path: \.short, column: \.short), place, round: number / 6, &generator)
      case 1:
        try assign(NarrowProperty(name: "byte", path: \.byte, column: \.byte), place, round: number / 6, &generator)
      case 2:
        try assign(NarrowProperty(name: "half", path: \.half, column: \.half), place, round: number / 6, &generator)
      case 3:
        try assign(NarrowProperty(name: "word", path: \.word, column: \.word), place, round: number / 6, &generator)
      case 4:
        try assign(NarrowProperty(name: "wide", path: \.wide, column: \.wide), place, round: number / 6, &generator)
      default:
        try assign(
          NarrowProperty(name: "natural", path: \.natural, column: \.natural), place, round: number / 6, &generator)
      }
    }
    TestSeed.tried(180, .operations, "updates of narrow integers")
  }

  private func assign<Number>(
    _ property: NarrowProperty<Number>, _ place: String, round: Int, _ generator: inout SplitMix64
  ) throws {
    let greatest = Number(min(Int128(Number.max), Int128(Int64.max)))
    let pool = [Number.min, greatest, greatest - 1, greatest / 2, Number.min + 1, 0, 1, 2, 3, 100]
    // One beyond either end of the range first, which random draws may miss.
    let edges: [(start: Number, operation: Operation)] = [(greatest, .add), (.min, .subtract)]
    let edge = round < edges.count ? edges[round] : nil
    let rows = (1...3).map { id in
      var row = Scale(id: id)
      row[keyPath: property.path] = edge?.start ?? generator.pick(pool)
      return row
    }
    let (operand, least) = (edge == nil ? generator.pick(pool) : 1, Int.random(in: 1...3, using: &generator))
    let operation = edge?.operation ?? generator.pick(Operation.allCases)
    func result(_ row: Scale) -> Int128 {
      let (value, operand) = (Int128(row[keyPath: property.path]), Int128(operand))
      return switch operation {
      case .add: value + operand
      case .subtract: value - operand
      case .multiply: value * operand
      }
    }
    let refused = rows.filter { $0.id >= least && !isStorable(result($0), Number.self) }.map(\.id)
    let expected = rows.map { row in
      guard row.id >= least, refused.isEmpty, let value = Number(exactly: result(row)) else { return row }
      var row = row
      row[keyPath: property.path] = value
      return row
    }
    let values = "\(place), \(property.name): \(rows.map { $0[keyPath: property.path] }) \(operation) \(operand)"
    for kind in Place.allCases {
      let (store, db, save) = try open(kind)
      try store.blocking.insert(rows)
      func update() throws {
        _ = try db.updateAll(Scale.where { $0.id >= least }) {
          let assignment = $0[dynamicMember: property.column]
          switch operation {
          case .add: assignment.increment(by: operand)
          case .multiply: assignment.multiply(by: operand)
          case .subtract: assignment.set { $0[keyPath: property.column] - operand }
          }
        }
      }
      if refused.isEmpty {
        #expect(throws: Never.self, "\(values), \(kind)") { try update() }
      } else {
        let error = #expect(throws: StoreError.self, "\(values), \(kind)") { try update() }
        #expect(error?.code == .invalidValue && error?.property == property.name, "\(values), \(kind)")
        #expect(
          error?.key.first?.integer.map { refused.contains(Int($0)) } == true, "\(values), \(kind): \(error?.key ?? [])"
        )
      }
      try save()
      #expect(try store.blocking.fetch(Scale.all.sorted(by: \.id)) == expected, "\(values), \(kind)")
    }
  }

  // MARK: Sums

  private enum Change {
    case save(ScaleMark)
    case delete(Int)
    case raise(Int, by: UInt8)
  }

  @Test("sums of narrow integers are exact, or the change is refused with the property and the row", arguments: 0..<2)
  func sums(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    for kind in Place.allCases {
      // All places make the same changes.
      var generator = SplitMix64(seed: seed &* 191)
      let (store, db, save) = try open(kind)
      try store.blocking.insert([Scale(id: 1), Scale(id: 2)])
      var marks: [Int: ScaleMark] = [:]
      for step in 0..<40 {
        let change = change(marks, &generator)
        var after = marks
        switch change {
        case .save(let mark): after[mark.id] = mark
        case .delete(let id): after[id] = nil
        case .raise(let id, let amount): after[id]?.byte += amount
        }
        let place = "seed \(seed), \(kind), step \(step): \(change), \(marks)"
        func make() throws {
          switch change {
          case .save(let mark): try db.save(mark)
          case .delete(let id): try db.delete(ScaleMark.self, id)
          case .raise(let id, let amount):
            try db.updateAll(ScaleMark.where { $0.id == id }) { $0.byte.increment(by: amount) }
          }
        }
        let refused = refusals(after)
        if refused.isEmpty {
          #expect(throws: Never.self, "\(place)") { try make() }
          marks = after
        } else {
          let error = #expect(throws: StoreError.self, "\(place)") { try make() }
          let found = "\(error?.property ?? "") \(error?.key.first?.integer ?? 0)"
          #expect(error?.code == .invalidValue && refused.contains(found), "\(place): \(found)")
        }
        let scales = try db.fetch(Scale.all.sorted(by: \.id))
        #expect(scales.map(\.id).map { exactSums(marks, $0) } == scales.map(sums(of:)), "\(place)")
        try save()
      }
      let scales = try store.blocking.fetch(Scale.all.sorted(by: \.id))
      #expect(scales.map(\.id).map { exactSums(marks, $0) } == scales.map(sums(of:)), "seed \(seed), \(kind)")
      #expect(try store.blocking.verifyDerived() == [], "seed \(seed), \(kind)")
    }
    TestSeed.tried(120, .operations, "changes of sums of narrow integers")
  }

  private func change(_ marks: [Int: ScaleMark], _ generator: inout SplitMix64) -> Change {
    let id = Int.random(in: 1...6, using: &generator)
    if generator.once(in: 5) { return .delete(id) }
    if generator.once(in: 4), let mark = marks[id] {
      return .raise(id, by: UInt8.random(in: 0...(.max - mark.byte), using: &generator))
    }
    return .save(
      ScaleMark(
        id: id, short: generator.pick([0, 1, -1, 20_000, -20_000, .max, .min]),
        byte: generator.pick([0, 1, 60, 127, 128, .max]),
        natural: generator.pick([0, 1, UInt(Int64.max), UInt(Int64.max) / 2]),
        scale: generator.pickOrNil([1, 2]).map { ToOne($0) }))
  }

  private func exactSums(_ marks: [Int: ScaleMark], _ scale: Int) -> [Int128] {
    let own = marks.values.filter { $0.scale?.id == scale }
    return [
      own.reduce(0) { $0 + Int128($1.short) }, own.reduce(0) { $0 + Int128($1.byte) },
      own.reduce(0) { $0 + Int128($1.natural) },
    ]
  }

  private func sums(of scale: Scale) -> [Int128] {
    [Int128(scale.shortSum), Int128(scale.byteSum), Int128(scale.naturalSum)]
  }

  /// The sums that their properties can't hold, each with its row.
  private func refusals(_ marks: [Int: ScaleMark]) -> Set<String> {
    var found: Set<String> = []
    for id in [1, 2] {
      let sums = exactSums(marks, id)
      if !isStorable(sums[0], Int16.self) { found.insert("shortSum \(id)") }
      if !isStorable(sums[1], UInt8.self) { found.insert("byteSum \(id)") }
      if !isStorable(sums[2], UInt.self) { found.insert("naturalSum \(id)") }
    }
    return found
  }
}
