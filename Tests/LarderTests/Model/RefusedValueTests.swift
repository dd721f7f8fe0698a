import Foundation
import Larder
import LarderTestSupport
import Testing

/// Values that the database could not give back unchanged are refused whole, by an error that names the model and the
/// property.
@Suite struct RefusedValueTests {
  enum Color: String, Sendable { case red }
  enum Size: Int, Sendable { case small = 1 }

  @Model struct Reading: Hashable {
    var id: Int
    var count: UInt64 = 0
    var total: UInt = 0
    var level: Double = 0
    var share: Float = 0
    var price: Decimal = 0
    var takenAt: Date = Date(timeIntervalSinceReferenceDate: 0)
    @Attribute(.iso8601) var namedAt: Date = Date(timeIntervalSinceReferenceDate: 0)
    var samples: [Double] = []
    var maybe: Double?
  }

  @Model("swatches") struct Swatch: Hashable {
    var id: Int
    var color: RefusedValueTests.Color = .red
    var size: RefusedValueTests.Size?
    var tags: [Int] = []
    var address: URL?
    var key: UUID?
    var age: UInt8 = 0
  }

  private func expectInvalid(
    _ property: String, in model: String = "Reading", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.code == .invalidValue, sourceLocation: sourceLocation)
    #expect(error?.model == model, sourceLocation: sourceLocation)
    #expect(error?.property == property, sourceLocation: sourceLocation)
    #expect(error?.message.hasPrefix("\(model).\(property) ") ?? false, sourceLocation: sourceLocation)
  }

  private static let bad: [(String, Reading)] = [
    ("count", Reading(id: 1, count: UInt64(Int64.max) + 1)),
    ("count", Reading(id: 1, count: .max)),
    ("total", Reading(id: 1, total: .max)),
    ("level", Reading(id: 1, level: .nan)),
    ("level", Reading(id: 1, level: .signalingNaN)),
    ("share", Reading(id: 1, share: .nan)),
    ("price", Reading(id: 1, price: .nan)),
    ("takenAt", Reading(id: 1, takenAt: Date(timeIntervalSinceReferenceDate: .nan))),
    ("namedAt", Reading(id: 1, namedAt: Date(timeIntervalSinceReferenceDate: .infinity))),
    ("namedAt", Reading(id: 1, namedAt: Date(timeIntervalSinceReferenceDate: 1e12))),
    ("samples", Reading(id: 1, samples: [1, .infinity])),
    ("samples", Reading(id: 1, samples: [.nan])),
    ("maybe", Reading(id: 1, maybe: .nan)),
  ]

  @Test("a value that the database could not give back is refused by every verb", arguments: bad.indices)
  func refused(position: Int) throws {
    let (property, reading) = Self.bad[position]
    let store = try Store(inMemoryFor: Reading.self)
    let other = Reading(id: 2)
    expectInvalid(property) { try store.blocking.insert(reading) }
    expectInvalid(property) { try store.blocking.save(reading) }
    expectInvalid(property) { try store.blocking.insert([other, reading]) }
    expectInvalid(property) { try store.blocking.save([other, reading]) }
    #expect(try store.blocking.count(Reading.all) == 0)
    try store.blocking.insert(Reading(id: 1))
    expectInvalid(property) { try store.blocking.update(reading) }
    expectInvalid(property) {
      try store.blocking.write { db in
        try db.insert(other); try db.update(reading)
      }
    }
    #expect(try store.blocking.fetch(Reading.all) == [Reading(id: 1)])
  }

  @Test("infinities are kept") func infinities() throws {
    let store = try Store(inMemoryFor: Reading.self)
    let reading = Reading(id: 1, level: .infinity, share: -.infinity, maybe: -.infinity)
    try store.blocking.insert(reading)
    #expect(try store.blocking.find(Reading.self, 1) == reading)
    #expect(try store.blocking.count(Reading.where { $0.level > 1e300 && $0.share < -1e30 }) == 1)
  }

  @Test("a message does not show the value that is refused") func discretion() throws {
    let store = try Store(inMemoryFor: Swatch.self)
    try store.blocking.insert(Swatch(id: 1))
    try store.blocking.sql("update swatches set color = 'secret blue', tags = '[\"secret\"]'")
    let error = #expect(throws: StoreError.self) { try store.blocking.fetch(Swatch.all) }
    #expect(error.map { "\($0)" }?.contains("secret") == false)
  }

  private static let foreign: [(column: String, value: Value)] = [
    ("color", "blue"), ("color", ""), ("size", 7), ("tags", "[1"), ("tags", "[\"a\"]"), ("tags", "{}"), ("address", ""),
    ("age", 256), ("age", -1),
    ("key", .blob(Data([1, 2, 3]))),
  ]

  @Test(
    "a stored value that the type does not know is an error with the property's name, in every way of reading",
    arguments: foreign.indices)
  func strangers(position: Int) throws {
    let (column, value) = Self.foreign[position]
    let store = try Store(inMemoryFor: Swatch.self)
    try store.blocking.insert([Swatch(id: 1), Swatch(id: 2)])
    try store.blocking.sql("update \(Swatch.self) set \(name: column) = \(value) where id = 2")
    expectInvalid(column, in: "Swatch") { _ = try store.blocking.find(Swatch.self, 2) }
    expectInvalid(column, in: "Swatch") { _ = try store.blocking.fetch(Swatch.all) }
    expectInvalid(column, in: "Swatch") { _ = try store.blocking.first(Swatch.where { $0.id == 2 }) }
    expectInvalid(column, in: "Swatch") { try store.blocking.forEach(Swatch.all) { _ in } }
    #expect(try store.blocking.rows(Swatch.where { $0.id == 2 }).first?[column] == value)
    #expect(try store.blocking.find(Swatch.self, 1) == Swatch(id: 1))
  }
}
