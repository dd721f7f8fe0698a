import Foundation
import Larder
import Testing

@Model
private struct Dial: Hashable {
  var id: String
  var level: Int8 = 0
  var count: Int = 0
  @Relationship(inverse: \DialReading.gauge) var readings: ToMany<DialReading> = []
  @Derived(.sum(\Dial.readings, \DialReading.amount)) var sum: Int8 = 0
}

@Model
private struct DialReading: Hashable {
  var id: Int
  var gauge: ToOne<Dial>?
  var amount: Int8 = 0
}

@Suite("Assignments that a property cannot hold name the row")
struct RefusedAssignmentTests {
  private let store: Store
  private let context: Context

  init() throws {
    store = try Store(inMemoryFor: Dial.self, DialReading.self)
    try store.blocking.insert([
      Dial(id: "a", level: 1, count: 3), Dial(id: "b", level: 2, count: 2), Dial(id: "c", level: 100, count: .max),
      Dial(id: "d", level: 3, count: 1),
    ])
    context = Context(store)
  }

  private func expectRefusal(
    of property: String, key: Value?, _ body: (any StoreWriter) throws -> Void
  ) throws {
    for db in [store.blocking, context, context.child()] as [any StoreWriter] {
      let error = #expect(throws: StoreError.self) { try body(db) }
      #expect(error?.code == .invalidValue && error?.model == "Dial" && error?.property == property, "\(error as Any)")
      #expect(error?.key == [key].compactMap { $0 }, "\(type(of: db))")
      #expect(error?.message.contains("\"c\"") == false)
    }
  }

  @Test("in a narrow integer, wherever the row is in the query")
  func narrow() throws {
    try expectRefusal(of: "level", key: "c") { _ = try $0.updateAll(Dial.all) { $0.level.increment(by: 100) } }
    try expectRefusal(of: "level", key: "c") {
      _ = try $0.updateAll(Dial.where { $0.level > 1 }) { $0.level.multiply(by: 2) }
    }
    try expectRefusal(of: "level", key: "c") {
      _ = try $0.updateAll(Dial.all.sorted(by: \.count, order: .reverse).limit(3)) {
        $0.count.set(0)
        $0.level.increment(by: 100)
      }
    }
  }

  @Test("in a sum of 64 bits, and where the new value reads other rows")
  func wide() throws {
    try expectRefusal(of: "count", key: "c") { _ = try $0.updateAll(Dial.all) { $0.count.increment(by: 1) } }
    try store.blocking.insert((1...2).map { DialReading(id: $0, gauge: ToOne("c"), amount: 1) })
    try expectRefusal(of: "count", key: "c") {
      _ = try $0.updateAll(Dial.all) { $0.count.set { $0.count + $0.readings.count } }
    }
  }

  @Test("in a sum that rows are derived from")
  func derived() throws {
    try store.blocking.insert(DialReading(id: 1, gauge: ToOne("c"), amount: 100))
    try expectRefusal(of: "sum", key: "c") { try $0.insert(DialReading(id: 2, gauge: ToOne("c"), amount: 100)) }
    try expectRefusal(of: "sum", key: "c") { try $0.save(DialReading(id: 2, gauge: ToOne("c"), amount: 50)) }
  }
}
