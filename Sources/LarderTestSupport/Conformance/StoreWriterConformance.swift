import Foundation
public import Larder

/// Checks that a conforming type fulfills the requirements of `StoreWriter`.
///
/// ```swift
/// let store = try Store(inMemoryFor: ConformanceItem.self)
/// try StoreWriterConformance.check(store.blocking)
/// try store.blocking.write { try StoreWriterConformance.check($0) }
/// ```
public enum StoreWriterConformance {
  /// Changes rows with every method of the protocol and checks the results, including the requirements of a reader.
  ///
  /// - Parameter db: A writer of a store for ``ConformanceItem``, whose items it may delete.
  /// - Throws: ``ConformanceFailure`` for the first unfulfilled requirement, and any unexpected error of the writer.
  public static func check(_ db: some StoreWriter) throws {
    try reset(db)
    try checkInserting(db)
    try reset(db)
    try checkSaving(db)
    try reset(db)
    try checkUpdating(db)
    try reset(db)
    try checkArrays(db)
    try reset(db)
    try checkDeleting(db)
    try reset(db)
    try checkUpdatingAll(db)
    try reset(db)
    try checkDeletingAll(db)
    try reset(db)
    try checkValidation(db)
    try reset(db)
    try checkSQL(db)
    try reset(db)
    try StoreReaderConformance.check(db)
  }

  private static func reset(_ db: some StoreWriter) throws {
    try db.deleteAll(ConformanceItem.all)
    try db.insert(ConformanceItem.samples)
  }

  private static let spoon = ConformanceItem(id: 4, title: "Spoon", code: "S", kind: .tool, price: 3)

  private static func ids(in db: some StoreReader) throws -> [Int] {
    try db.fetch(ConformanceItem.all.sorted(by: \.id)).map(\.id)
  }

  private static func expectDuplicate(
    _ property: String, _ promise: String, line: UInt = #line, _ body: () throws -> Void
  ) throws {
    try expectError(
      StoreError.self, promise, line: line,
      where: { $0.code == .duplicate && $0.model == "ConformanceItem" && $0.property == property }, body)
  }

  static func checkInserting(_ db: some StoreWriter) throws {
    try db.insert(spoon)
    try expect(try db.find(ConformanceItem.self, 4), equals: spoon, "insert adds a row")
    var other = ConformanceItem.milk
    other.title = "Other"
    other.code = "O"
    try expectDuplicate("id", "insert refuses a key that is taken") { try db.insert(other) }
    try expect(try db.find(ConformanceItem.self, 1), equals: .milk, "a refused insert changes nothing")
    other.id = 5
    other.code = "M"
    try expectDuplicate("code", "insert refuses a unique value that is taken") { try db.insert(other) }
    other.weight = .nan
    try expectError(
      StoreError.self, "insert refuses NaN", where: { $0.code == .invalidValue && $0.property == "weight" }
    ) {
      try db.insert(other)
    }
    try expect(try ids(in: db), equals: [1, 2, 3, 4], "a refused insert adds nothing")
  }

  static func checkSaving(_ db: some StoreWriter) throws {
    try db.save(spoon)
    try expect(try db.find(ConformanceItem.self, 4), equals: spoon, "save adds a row")
    var milk = ConformanceItem.milk
    milk.title = "Cream"
    milk.code = nil
    milk.size.width = 9
    try db.save(milk)
    try expect(try db.find(ConformanceItem.self, 1), equals: milk, "save updates the row with the key")
    try expect(try db.fetch(ConformanceItem.search("cream")), equals: [milk], "the search follows a save")
    milk.code = "B"
    try expectDuplicate("code", "save refuses a unique value of another row") { try db.save(milk) }
    try expect(try ids(in: db), equals: [1, 2, 3, 4], "a refused save deletes no other row")
  }

  static func checkUpdating(_ db: some StoreWriter) throws {
    var milk = ConformanceItem.milk
    milk.stock = 99
    try db.update(milk)
    try expect(try db.find(ConformanceItem.self, 1), equals: milk, "update changes the row")
    try expectError(
      StoreError.self, "update refuses a row that is not there",
      where: { $0.code == .notFound && $0.model == "ConformanceItem" }
    ) {
      try db.update(spoon)
    }
    try expect(try ids(in: db), equals: [1, 2, 3], "a refused update adds nothing")
  }

  static func checkArrays(_ db: some StoreWriter) throws {
    var cream = ConformanceItem.milk
    cream.title = "Cream"
    try expectDuplicate("id", "insert refuses an array with a taken key") { try db.insert([spoon, cream]) }
    try expect(try ids(in: db), equals: [1, 2, 3], "an array is inserted whole or not at all")
    try expectDuplicate("code", "save refuses an array with a taken value") {
      try db.save([cream, spoon, ConformanceItem(id: 5, title: "Five", code: "B")])
    }
    try expect(
      try db.fetch(ConformanceItem.all.sorted(by: \.id)), equals: ConformanceItem.samples,
      "an array is saved whole or not at all")
    try expectError(StoreError.self, "update refuses an array with a missing row", where: { $0.code == .notFound }) {
      try db.update([cream, spoon])
    }
    try expect(try db.find(ConformanceItem.self, 1), equals: .milk, "an array is updated whole or not at all")
    try db.save([cream, spoon])
    try expect(try db.find(ConformanceItem.self, 1), equals: cream, "save takes an array")
    try expect(try db.find(ConformanceItem.self, 4), equals: spoon, "save takes an array")
    try db.update([ConformanceItem.milk])
    try expect(try db.find(ConformanceItem.self, 1), equals: .milk, "update takes an array")
    try db.insert([ConformanceItem]())
    try db.save([ConformanceItem]())
    try db.update([ConformanceItem]())
    try expect(try ids(in: db), equals: [1, 2, 3, 4], "an empty array changes nothing")
  }

  static func checkDeleting(_ db: some StoreWriter) throws {
    try expect(try db.delete(ConformanceItem.milk), "delete answers that there was a row")
    try expect(try !db.delete(ConformanceItem.milk), "delete answers that there was none")
    try expect(try db.delete(ConformanceItem.self, 2), "delete takes a key")
    try expect(try !db.delete(ConformanceItem.self, 2), "delete takes a key that is gone")
    try expect(try ids(in: db), equals: [3], "delete takes one row away")
    try db.save(ConformanceItem.samples)
    try expect(
      try db.delete([ConformanceItem.milk, spoon, .hammer]), equals: 2,
      "delete answers how many rows of an array there were")
    try expect(try ids(in: db), equals: [2], "delete takes an array")
    try expect(try db.fetch(ConformanceItem.search("milk")), equals: [], "the search follows a deletion")
  }

  static func checkUpdatingAll(_ db: some StoreWriter) throws {
    let changed = try db.updateAll(ConformanceItem.where { $0.kind == .food }) {
      $0.title.set("Food")
      $0.stock.increment(by: 5)
      $0.size.height.set(7)
      $0.weight.set(nil)
    }
    try expect(changed, equals: 2, "updateAll answers how many rows it changed")
    let food = try db.fetch(ConformanceItem.where { $0.title == "Food" }.sorted(by: \.id))
    try expect(food.map(\.stock), equals: [15, 25], "updateAll increments")
    try expect(food.map(\.size.height), equals: [7, 7], "updateAll reaches an embedded struct")
    try expect(food.map(\.weight), equals: [nil, nil], "updateAll sets nil")
    try expect(try db.find(ConformanceItem.self, 3), equals: .hammer, "updateAll leaves other rows alone")
    try expect(
      try db.updateAll(ConformanceItem.where { $0.id == 9 }) { $0.stock.set(0) }, equals: 0, "updateAll without rows")
    try expect(try db.updateAll(ConformanceItem.all) { _ in }, equals: 0, "updateAll without changes")
    try expectDuplicate("code", "updateAll refuses a value that is to be unique") {
      try db.updateAll(ConformanceItem.all) { $0.code.set("same") }
    }
    try expect(
      try db.count(ConformanceItem.where { $0.code == "same" }), equals: 0, "updateAll changes all rows or none")
  }

  static func checkDeletingAll(_ db: some StoreWriter) throws {
    try expect(
      try db.deleteAll(ConformanceItem.where { $0.price > 2 }), equals: 2, "deleteAll answers how many rows it deleted")
    try expect(try ids(in: db), equals: [1], "deleteAll leaves other rows alone")
    try expect(try db.deleteAll(ConformanceItem.where { $0.price > 2 }), equals: 0, "deleteAll without rows")
    try db.save(ConformanceItem.samples)
    try expect(
      try db.deleteAll(ConformanceItem.all.sorted(by: \.id).limit(2)), equals: 2, "deleteAll keeps order and limit")
    try expect(try ids(in: db), equals: [3], "deleteAll keeps order and limit")
  }

  static func checkValidation(_ db: some StoreWriter) throws {
    var empty = ConformanceItem.milk
    empty.title = ""
    let calls: [() throws -> Void] = [
      { try db.insert(empty) }, { try db.save(empty) }, { try db.update(empty) },
      { try db.insert([spoon, empty]) }, { try db.save([spoon, empty]) },
      { try db.update([ConformanceItem.bread, empty]) },
    ]
    for call in calls {
      try expectError(ConformanceItem.EmptyTitle.self, "what validate() throws is thrown on", call)
    }
    try expect(
      try db.fetch(ConformanceItem.all.sorted(by: \.id)), equals: ConformanceItem.samples,
      "what validate() refuses changes nothing")
  }

  static func checkSQL(_ db: some StoreWriter) throws {
    try db.sql("update \(ConformanceItem.self) set stock = \(77) where id = \(1)")
    try expect(try db.find(ConformanceItem.self, 1)?.stock, equals: 77, "sql writes")
    let deleted = try db.sql("delete from \(ConformanceItem.self) where id < \(3) returning id", as: Int.self)
    try expect(deleted.sorted(), equals: [1, 2], "sql that writes returns rows")
    try expect(try ids(in: db), equals: [3], "sql that returns rows writes")
  }
}
