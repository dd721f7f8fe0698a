import Foundation
import Larder
import LarderTestSupport
import Testing

/// Circles of rows whose references are required: a row of one cannot be without its next.
private enum Dance {
  @Model("DanceOne") struct One: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var next: ToOne<Two>
  }

  @Model("DanceTwo") struct Two: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var next: ToOne<Three>
  }

  @Model("DanceThree") struct Three: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var next: ToOne<One>
  }

  @Model("DanceAlone") struct Alone: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var next: ToOne<Alone>
    @Relationship(deleteRule: .nullify) var watched: ToOne<Two>?
    @Relationship(deleteRule: .deny) var held: ToOne<Two>?
  }

  static func store() throws -> Store { try Store(inMemoryFor: One.self, Two.self, Three.self, Alone.self) }

  /// A circle through three models, with rows from `start` on.
  static func insert(_ count: Int, from start: Int = 1, into db: some StoreWriter) throws {
    let ids = start..<(start + count)
    try db.insert(ids.map { One(id: $0, next: ToOne($0)) })
    try db.insert(ids.map { Two(id: $0, next: ToOne($0)) })
    try db.insert(ids.map { Three(id: $0, next: ToOne($0 == start ? start + count - 1 : $0 - 1)) })
  }

  static func circle(_ count: Int, from start: Int = 1) -> [Alone] {
    (start..<(start + count)).map { Alone(id: $0, next: ToOne($0 == start ? start + count - 1 : $0 - 1)) }
  }

  static func counts(_ db: some StoreReader) throws -> [Int] {
    [try db.count(One.all), try db.count(Two.all), try db.count(Three.all), try db.count(Alone.all)]
  }
}

@Suite("Delete rules: circles", .timeLimit(.minutes(20)))
struct DeletionCircleTests {
  private let stores: [Store]

  init() throws {
    stores = try (0..<3).map { _ in try Dance.store() }
  }

  /// Does the same in a store, in a context and in a child of one, and saves both.
  private func perform(_ body: (any StoreWriter) throws -> Void) throws {
    let (context, parent) = (Context(stores[1]), Context(stores[2]))
    let child = parent.child()
    try body(stores[0].blocking)
    try context.step { try body(context) }
    try child.step { try body(child) }
    #expect(try Dance.counts(context) == Dance.counts(stores[0].blocking))
    #expect(try Dance.counts(child) == Dance.counts(stores[0].blocking))
    try context.save()
    try child.save()
    try parent.save()
    for store in stores {
      #expect(try Dance.counts(store.blocking) == Dance.counts(stores[0].blocking))
      #expect(try store.blocking.check().isHealthy)
    }
  }

  @Test("C2: a circle of required references goes with any of its rows", arguments: [1, 2, 30, 3_000])
  func alone(_ count: Int) throws {
    for store in stores {
      try store.blocking.write { db in
        try db.insert(Dance.circle(count))
        try db.insert(Dance.circle(2, from: 10_001))
      }
    }
    try perform { db in
      let isDeleted = try db.delete(Dance.Alone.self, count / 2 + 1)
      #expect(isDeleted)
    }
    #expect(try Dance.counts(stores[0].blocking) == [0, 0, 0, 2])
  }

  @Test("C2: a circle through several models goes with any of its rows", arguments: [1, 10, 1_500])
  func several(_ count: Int) throws {
    for store in stores {
      try store.blocking.write { db in
        try Dance.insert(count, into: db)
        try Dance.insert(3, from: 10_001, into: db)
        try db.insert([Dance.Alone(id: 1, next: ToOne(1), watched: ToOne(count))])
      }
    }
    try perform { db in
      let number = try db.deleteAll(Dance.Three.where { $0.id == 1 })
      #expect(number == 1)
    }
    #expect(try Dance.counts(stores[0].blocking) == [3, 3, 3, 1])
    for store in stores { #expect(try store.blocking.fetch(Dance.Alone.all) == [Dance.Alone(id: 1, next: ToOne(1))]) }
  }

  @Test("C2: circles that are deleted in a context come back, and go again")
  func history() throws {
    let store = stores[0]
    try store.blocking.write { try Dance.insert(800, into: $0) }
    let context = Context(store)
    #expect(context.delete(Dance.Two.self, 400))
    try context.save()
    #expect(try Dance.counts(store.blocking) == [0, 0, 0, 0])
    #expect(context.undo())
    try context.save()
    #expect(try Dance.counts(store.blocking) == [800, 800, 800, 0])
    #expect(context.redo())
    try context.save()
    #expect(try Dance.counts(store.blocking) == [0, 0, 0, 0])
  }

  @Test("C2: a row that holds one of a circle's keeps all of them, until it goes along", arguments: [10, 1_500])
  func denial(_ count: Int) throws {
    for store in stores {
      try store.blocking.write { db in
        try Dance.insert(count, into: db)
        try db.insert(Dance.Alone(id: 1, next: ToOne(1), held: ToOne(count)))
      }
      for db in [store.blocking, Context(store)] as [any StoreWriter] {
        let error = #expect(throws: StoreError.self) { _ = try db.deleteAll(Dance.One.where { $0.id == 1 }) }
        #expect(error?.code == .referenced, "\(error as Any)")
      }
      #expect(try Dance.counts(store.blocking) == [count, count, count, 1])
    }
    try perform { db in
      try db.delete(Dance.Alone.self, 1)
      try db.delete(Dance.One.self, 1)
    }
    #expect(try Dance.counts(stores[0].blocking) == [0, 0, 0, 0])
  }
}
