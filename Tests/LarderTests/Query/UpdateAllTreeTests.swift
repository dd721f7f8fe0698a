import Foundation
import Larder
import LarderTestSupport
import Testing

/// Updates and deletions of a table whose conditions and new values ask for other rows of the same table.
@Suite struct UpdateAllTreeTests {
  private func makeChain() throws -> Store {
    let store = try Store(inMemoryFor: Errand.self)
    try store.blocking.insert((1...4).map { Errand(id: $0, parent: $0 == 1 ? nil : ToOne($0 - 1)) })
    return store
  }

  @Test("an update changes the rows that its query fetches, and no row that matches because of the update")
  func chain() throws {
    let db = try makeChain().blocking
    let query = Errand.where { $0.parent.state != "open" }
    #expect(try db.fetch(query).map(\.id) == [1])
    #expect(try db.updateAll(query) { $0.state.set("done") } == 1)
    #expect(try db.fetch(Errand.where { $0.state == "done" }).map(\.id) == [1])
  }

  @Test("new values are computed from the rows as they were before the update")
  func values() throws {
    let db = try makeChain().blocking
    #expect(try db.updateAll(Errand.all) { $0.depth.set { $0.parent.depth.or(0) + 1 } } == 4)
    #expect(try db.fetch(Errand.all.sorted(by: \.id)).map(\.depth) == [1, 1, 1, 1])
    #expect(try db.updateAll(Errand.all) { $0.depth.set { $0.below } } == 4)
    #expect(try db.fetch(Errand.all.sorted(by: \.id)).map(\.depth) == [1, 1, 1, 0])
  }

  @Test("deleteAll returns the number of rows of its query, also where delete rules delete some of them first")
  func deletions() throws {
    let db = try makeChain().blocking
    #expect(try db.deleteAll(Errand.all) == 4)
    #expect(try db.count(Errand.all) == 0)
  }

  // MARK: Random

  private typealias Forest = [Int: Errand]

  /// Conditions and new values, each for the database and for plain Swift.
  private struct Case {
    let name: String
    let query: Query<Errand>
    let isMatch: (Errand, Forest) -> Bool
  }

  private struct Change {
    let name: String
    let assign: (Assignments<Errand>) -> Void
    let change: (inout Errand, Forest) -> Void
  }

  private static func parent(_ row: Errand, _ forest: Forest) -> Errand? { row.parent.flatMap { forest[$0.id] } }
  private static func children(_ row: Errand, _ forest: Forest) -> [Errand] {
    forest.values.filter { $0.parent?.id == row.id }
  }

  private static var cases: [Case] {
    [
      Case(name: "all", query: Errand.all) { _, _ in true },
      Case(name: "parent is not open", query: Errand.where { $0.parent.state != "open" }) {
        parent($0, $1)?.state != "open"
      },
      Case(name: "parent is open", query: Errand.where { $0.parent.state == "open" }) {
        parent($0, $1)?.state == "open"
      },
      Case(name: "has an open child", query: Errand.where { $0.children.contains { $0.state == "open" } }) {
        children($0, $1).contains { $0.state == "open" }
      },
      Case(name: "no deep child", query: Errand.where { !$0.children.contains { $0.depth > 1 } }) {
        !children($0, $1).contains { $0.depth > 1 }
      },
      Case(
        name: "has a sibling that is done", query: Errand.where { $0.parent.children.contains { $0.state == "done" } }
      ) { row, forest in
        parent(row, forest).map { children($0, forest).contains { $0.state == "done" } } ?? false
      },
      Case(name: "derived", query: Errand.where { $0.below > 1 }) { row, forest in
        children(row, forest).reduce(0) { $0 + $1.depth } > 1
      },
      Case(name: "limited", query: Errand.where { $0.parent.state != "done" }.sorted(by: \.id).limit(3)) {
        row, forest in
        forest.values.filter { parent($0, forest)?.state != "done" }.map(\.id).sorted().prefix(3).contains(row.id)
      },
    ]
  }

  private static var changes: [Change] {
    [
      Change(name: "done", assign: { $0.state.set("done") }, change: { row, _ in row.state = "done" }),
      Change(name: "open", assign: { $0.state.set("open") }, change: { row, _ in row.state = "open" }),
      Change(name: "state of the parent", assign: { $0.state.set { $0.parent.state.or("root") } }) {
        $0.state = parent($0, $1)?.state ?? "root"
      },
      Change(name: "depth below the parent", assign: { $0.depth.set { $0.parent.depth.or(0) + 1 } }) {
        $0.depth = (parent($0, $1)?.depth ?? 0) + 1
      },
      Change(name: "number of children", assign: { $0.depth.set { $0.children.count } }) {
        $0.depth = children($0, $1).count
      },
      Change(name: "number of siblings", assign: { $0.depth.set { $0.parent.children.count } }) { row, forest in
        row.depth = parent(row, forest).map { children($0, forest).count } ?? 0
      },
      Change(
        name: "siblings that are done",
        assign: { $0.depth.set { $0.parent.children.where { $0.state == "done" }.count + 1 } }
      ) { row, forest in
        row.depth = (parent(row, forest).map { children($0, forest).filter { $0.state == "done" }.count } ?? 0) + 1
      },
      Change(name: "depths of the siblings", assign: { $0.depth.set { $0.parent.children.sum(\.depth) } }) {
        row, forest in
        row.depth = parent(row, forest).map { children($0, forest).reduce(0) { $0 + $1.depth } } ?? 0
      },
      Change(name: "deepest sibling", assign: { $0.depth.set { $0.parent.children.max(\.depth).or(7) } }) {
        row, forest in
        row.depth = parent(row, forest).flatMap { children($0, forest).map(\.depth).max() } ?? 7
      },
      Change(name: "derived of the parent", assign: { $0.depth.set { $0.parent.below.or(-1) } }) { row, forest in
        row.depth = parent(row, forest).map { children($0, forest).reduce(0) { $0 + $1.depth } } ?? -1
      },
      Change(name: "derived", assign: { $0.depth.set { $0.below } }) { row, forest in
        row.depth = children(row, forest).reduce(0) { $0 + $1.depth }
      },
      Change(
        name: "both",
        assign: {
          $0.depth.increment(by: 1); $0.state.set { $0.parent.state.or("root") }
        }
      ) {
        $0.depth += 1
        $0.state = parent($0, $1)?.state ?? "root"
      },
    ]
  }

  @Test(
    "random updates and deletions of trees change what plain Swift changes, in the store, in contexts and in their children"
  )
  func forests() throws {
    var generator = SplitMix64(seed: TestSeed.value)
    for number in 0..<150 {
      let count = Int.random(in: 1...9, using: &generator)
      // Some rows are their own parents, or go round in circles.
      let isTree = generator.once(in: 2)
      let rows = (1...count).map { id in
        let parent = Bool.random(using: &generator) ? nil : Int.random(in: 1...(isTree ? id : count), using: &generator)
        return Errand(
          id: id, state: generator.pick(["open", "done"]), depth: Int.random(in: 0...2, using: &generator),
          parent: parent.flatMap { isTree && $0 == id ? nil : ToOne($0) })
      }
      let store = try Store(inMemoryFor: Errand.self)
      try store.blocking.insert(rows)
      var forest = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
      let context = Context(store)
      let child = context.child()
      let db: any StoreWriter = [store.blocking, context, child][number % 3]
      for _ in 0..<4 {
        let condition = generator.pick(Self.cases)
        let change = generator.pick(Self.changes)
        let place = "seed \(TestSeed.value), forest \(number): \(change.name) where \(condition.name)"
        let before = forest
        let matching = before.values.filter { condition.isMatch($0, before) }
        if generator.once(in: 6) {
          #expect(try db.deleteAll(condition.query) == matching.count, "\(place), deleted")
          var gone = Set(matching.map(\.id))
          while let next = before.values.first(where: { row in
            !gone.contains(row.id) && row.parent.map { gone.contains($0.id) } ?? false
          }) {
            gone.insert(next.id)
          }
          forest = before.filter { !gone.contains($0.key) }
        } else {
          #expect(try db.updateAll(condition.query, change.assign) == matching.count, "\(place)")
          for row in matching {
            var row = row
            change.change(&row, before)
            forest[row.id] = row
          }
        }
        let found = try db.fetch(Errand.all.sorted(by: \.id))
        try #require(found.map(\.id) == forest.keys.sorted(), "\(place)")
        try #require(found.map(\.state) == forest.keys.sorted().map { forest[$0]?.state }, "\(place)")
        try #require(found.map(\.depth) == forest.keys.sorted().map { forest[$0]?.depth }, "\(place)")
      }
      try child.save()
      try context.save()
      #expect(try store.blocking.count(Errand.all) == forest.count)
      #expect(try store.blocking.verifyDerived() == [])
    }
    TestSeed.tried(150 * 4, .operations, "updates and deletions of trees")
  }
}
