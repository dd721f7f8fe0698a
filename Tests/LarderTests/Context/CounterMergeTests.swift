import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Model
struct Tally: Hashable {
  var id: Int
  var name = ""
  @Attribute(.counter) var views = 0
  @Attribute(.counter) var stars: Int8 = 0
}

@Model
private struct RankedTally: Hashable {
  var id: Int
  var kind = ""
  @Attribute(.counter) var views = 0

  static var indexes: [Index<Self>] { [Index(\.kind, \.views, unique: true)] }
}

@Model(expires: true)
struct CountedOffer: Hashable {
  var id: Int
  @Attribute(.counter) var views = 0
}

@Model
struct CountedSite: Hashable {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \CountedPage.site) var pages: ToMany<CountedPage> = []
  @Derived(.sum(\CountedSite.pages, \CountedPage.views)) var views: Int = 0
}

@Model
struct CountedPage: Hashable {
  var id: Int
  @Attribute(.counter) var views: Int = 0
  var site: ToOne<CountedSite>
}

/// Counters that a context and others add to.
@Suite("Context: counters that somebody else adds to", .timeLimit(.minutes(20)))
struct CounterMergeTests {
  let store: Store

  init() throws {
    store = try Store(inMemoryFor: Tally.self)
    try store.blocking.insert(Tally(id: 1, name: "old", views: 10))
  }

  func addElsewhere(_ amount: Int) throws {
    try store.blocking.updateAll(Tally.where { $0.id == 1 }) { $0.views.increment(by: amount) }
  }

  func shown(_ id: Int = 1) throws -> String? {
    try store.blocking.find(Tally.self, id).map { "\($0.name) \($0.views)" }
  }

  @Test("C3: what both sides add to a counter is added up", arguments: MergePolicy.allCases)
  func increments(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    #expect(try context.find(Tally.self, 1)?.views == 10)
    try addElsewhere(5)
    try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
    #expect(try context.find(Tally.self, 1)?.views == 17)
    try addElsewhere(3)
    try context.updateAll(Tally.all) { $0.views.increment(by: -1) }
    try context.save()
    #expect(try shown() == "old 19")
    #expect(try context.find(Tally.self, 1)?.views == 19)
    #expect(!context.hasChanges)
  }

  @Test("C3: a row that is written whole adds the difference from what was read", arguments: MergePolicy.allCases)
  func rows(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    mine.views += 2
    context.update(mine)
    try context.save()
    #expect(try shown() == "old 17")

    // It was read again, and nobody else has added anything.
    mine = try #require(try context.find(Tally.self, 1))
    mine.views += 1
    try context.save(mine)
    try context.save()
    mine.views += 1
    try context.save(mine)
    try context.save()
    #expect(try shown() == "old 19")

    // It was read once since the last save, and has changed twice.
    try context.save()
    mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    mine.views += 2
    context.update(mine)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    mine = try #require(try context.find(Tally.self, 1))
    mine.views += 1
    context.update(mine)
    #expect(context.refusals.isEmpty)
    try context.save()
    #expect(try shown() == "old 28")

    // Nothing was added.
    mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(4)
    mine.name = "new"
    context.update(mine)
    try context.save()
    #expect(try shown() == "new 32")
  }

  /// Writes a row that may have been made from several versions by adding 1, and saves it. A context with the policy
  /// `.error` refuses it, can add to it by other means, and can write the row after it was read again.
  func write(_ mine: Tally, in context: Context) throws {
    guard context.mergePolicy == .error else {
      context.update(mine)
      #expect(context.refusals.isEmpty)
      return try context.save()
    }
    let before = try shown()
    let error = #expect(throws: StoreError.self) { try context.save(mine) }
    #expect(error?.code == .conflict)
    #expect(error?.model == "Tally")
    #expect(error?.property == "views")
    #expect(error?.key == [.integer(1)])
    #expect(error?.message.contains("increment(by:)") == true)
    #expect(!context.hasChanges)

    context.update(mine)
    #expect(context.refusals.count == 1)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try shown() == before)
    context.undo()
    #expect(context.refusals.isEmpty)

    try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
    try context.save()
    var again = try #require(try context.find(Tally.self, 1))
    again.views -= 1
    context.update(again)
    try context.save()
  }

  @Test("C3: an addition that leads to a value which the context has read too", arguments: MergePolicy.allCases)
  func sumThatWasRead(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.fetch(Tally.all).first)
    try addElsewhere(1)
    _ = try context.fetch(Tally.all)
    mine.views += 1
    try write(mine, in: context)
    // The other policies take it for the row that was read last.
    #expect(try shown() == (policy == .error ? "old 12" : "old 11"))
  }

  @Test("C3: a row from any of several readings", arguments: MergePolicy.allCases)
  func severalReadings(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    _ = try context.fetch(Tally.all)
    try addElsewhere(5)
    var mine = try #require(try context.fetch(Tally.all).first)
    try addElsewhere(5)
    _ = try context.fetch(Tally.all)
    mine.views += 1
    try write(mine, in: context)
    #expect(try shown() == "old 21")
  }

  @Test("C3: a row that isn't from the context, which has saved another value", arguments: MergePolicy.allCases)
  func rowOfStore(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(Tally.self, 1))
    mine.views += 2
    context.update(mine)
    try context.save()
    try addElsewhere(5)
    mine = try #require(try store.blocking.find(Tally.self, 1))
    mine.views += 1
    try write(mine, in: context)
    #expect(try shown() == "old 18")
  }

  @Test("C3: a row that was saved and is written again, when others have added to it", arguments: MergePolicy.allCases)
  func savedRow(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(Tally.self, 1))
    mine.views += 2
    context.update(mine)
    try context.save()
    try addElsewhere(5)
    mine.views += 1
    try write(mine, in: context)
    #expect(try shown() == "old 18")
  }

  @Test("C3: a row with the counter that was read first is refused if another value was read, too")
  func equalReading() throws {
    let context = Context(store)
    let first = try #require(try context.find(Tally.self, 1))
    try addElsewhere(-1)
    var second = try #require(try context.find(Tally.self, 1))
    second.views += 1
    #expect(second == first)
    try write(second, in: context)
    #expect(try shown() == "old 10")
  }

  @Test("C3: a row with unsaved additions is refused if the context has read other values than they were added to")
  func rowWithAdditions() throws {
    let context = Context(store)
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    mine.views += 1
    let error = #expect(throws: StoreError.self) { try context.save(mine) }
    #expect(error?.code == .conflict)
    try context.save()
    #expect(try shown() == "old 16")
  }

  @Test("C3: more values than a context keeps are several", arguments: [MergePolicy.error, .preferStore])
  func manyReadings(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    for _ in 1...40 {
      _ = try context.find(Tally.self, 1)
      try addElsewhere(3)
    }
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(3)
    mine.views += 1
    try write(mine, in: context)
    #expect(try shown() == "old 134")
  }

  @Test("C3: a policy decides on other properties of the row, and counters add up", arguments: MergePolicy.allCases)
  func otherConflict(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(Tally.self, 1))
    try store.blocking.updateAll(Tally.all) {
      $0.name.set("theirs")
      $0.views.increment(by: 5)
    }
    mine.name = "mine"
    mine.views += 2
    context.update(mine)
    if policy == .error {
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .conflict)
      #expect(error?.property == "name")
      #expect(try shown() == "theirs 15")
      try context.save(mergePolicy: .preferContext)
    } else {
      try context.save()
    }
    let storeWins = policy == .preferStore || policy == .rollback
    #expect(try shown() == (storeWins ? "theirs 17" : "mine 17"))
    #expect(!context.hasChanges)
  }

  @Test("C3: a row of which one side only changed counters is in no conflict", arguments: MergePolicy.allCases)
  func noConflict(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
    try store.blocking.updateAll(Tally.all) { $0.name.set("theirs") }
    try context.save()
    #expect(try shown() == "theirs 12")

    try context.updateAll(Tally.all) { $0.name.set("mine") }
    try addElsewhere(5)
    try context.save()
    #expect(try shown() == "mine 17")

    context.delete(Tally.self, 1)
    try addElsewhere(5)
    try context.save()
    #expect(try shown() == nil)
  }

  private struct Sum<Number: FixedWidthInteger & Sendable>: Sendable {
    let base, mine, theirs, sum: Number

    init(_ base: Number, mine: Number, theirs: Number, is sum: Number) {
      (self.base, self.mine, self.theirs, self.sum) = (base, mine, theirs, sum)
    }
  }

  @Test("C3: a sum stays within the type of the counter")
  func bounds() throws {
    let sums: [Sum<Int>] = [
      Sum(.min, mine: .max, theirs: 0, is: .max), Sum(.max, mine: .min, theirs: 0, is: .min),
      Sum(.max, mine: .min, theirs: -1, is: .min), Sum(.min, mine: .max, theirs: .min, is: .max),
      Sum(-5, mine: .max, theirs: -10, is: .max - 5), Sum(5, mine: .min, theirs: 10, is: .min + 5),
      Sum(0, mine: 1, theirs: .max, is: .max), Sum(0, mine: -1, theirs: .min, is: .min),
      Sum(0, mine: 1, theirs: .min, is: .min + 1),
    ]
    for sample in sums {
      try store.blocking.updateAll(Tally.all) { $0.views.set(sample.base) }
      let context = Context(store)
      try context.updateAll(Tally.all) { $0.views.set(sample.mine) }
      try store.blocking.updateAll(Tally.all) { $0.views.set(sample.theirs) }
      try context.save()
      #expect(try store.blocking.find(Tally.self, 1)?.views == sample.sum, "\(sample)")
    }
  }

  @Test("C3: a sum stays within a narrow type")
  func narrowBounds() throws {
    let sums: [Sum<Int8>] = [
      Sum(120, mine: 125, theirs: 125, is: 127), Sum(-120, mine: -125, theirs: -125, is: -128),
      Sum(-128, mine: 127, theirs: -128, is: 127), Sum(0, mine: 5, theirs: 5, is: 10),
    ]
    for sample in sums {
      try store.blocking.updateAll(Tally.all) { $0.stars.set(sample.base) }
      let context = Context(store)
      try context.updateAll(Tally.all) { $0.stars.set(sample.mine) }
      try store.blocking.updateAll(Tally.all) { $0.stars.set(sample.theirs) }
      try context.save()
      #expect(try store.blocking.find(Tally.self, 1)?.stars == sample.sum, "\(sample)")
    }
  }

  @Test("C3: a row that was deleted meanwhile is inserted with what it counted, or stays deleted")
  func deletedThere() throws {
    for policy in MergePolicy.allCases {
      let context = Context(store, mergePolicy: policy)
      try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
      try store.blocking.deleteAll(Tally.all)
      if policy == .error {
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .conflict)
      } else {
        try context.save()
        #expect(try shown() == ([.preferContext, .overwrite].contains(policy) ? "old 12" : nil), "\(policy)")
      }
      try store.blocking.deleteAll(Tally.all)
      try store.blocking.insert(Tally(id: 1, name: "old", views: 10))
    }
  }

  @Test("C3: the counters of a row that both sides inserted are added up", arguments: MergePolicy.allCases)
  func insertedInBoth(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    context.insert([Tally(id: 2, name: "new", views: 2), Tally(id: 3, name: "new")])
    try store.blocking.insert([Tally(id: 2, name: "new", views: 5), Tally(id: 3, name: "new", views: 5)])
    try context.save()
    #expect(try [shown(2), shown(3)] == ["new 7", "new 5"])

    context.insert(Tally(id: 4, name: "mine", views: 2))
    try store.blocking.insert(Tally(id: 4, name: "theirs", views: 5))
    if policy == .error {
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .conflict)
      #expect(try shown(4) == "theirs 5")
    } else {
      try context.save()
      #expect(try shown(4) == ([.preferContext, .overwrite].contains(policy) ? "mine 7" : "theirs 7"))
    }
  }

  @Test("C3: undo takes back what a step has added, and nothing of what others have")
  func undo() throws {
    let context = Context(store)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    try context.save()
    try addElsewhere(30)
    _ = try context.find(Tally.self, 1)
    try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
    try context.save()
    try addElsewhere(30)
    _ = try context.find(Tally.self, 1)
    for expected in ["old 71", "old 70"] {
      #expect(context.undo())
      try context.save()
      #expect(try shown() == expected)
    }
    for expected in ["old 71", "old 73"] {
      #expect(context.redo())
      try context.save()
      #expect(try shown() == expected)
    }
    #expect(context.undo() && context.undo())
    try context.save()
    #expect(try shown() == "old 70")
  }

  @Test("C3: undo of a change that wasn't saved leaves none, although others have added to the row")
  func undoOfRow() throws {
    let context = Context(store)
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    mine.views += 1
    context.update(mine)
    context.undo()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try shown() == "old 15")
    #expect(context.redo())
    try context.save()
    #expect(try shown() == "old 16")
  }

  @Test("C3: undo of a step in which a child took back what was added", arguments: [0, 5])
  func undoOfChild(others: Int) throws {
    let context = Context(store)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    try addElsewhere(others)
    let child = context.child()
    try context.step {
      try child.updateAll(Tally.all) { $0.views.increment(by: -1) }
      try child.save()
      try context.updateAll(Tally.all) { $0.views.increment(by: 2) }
    }
    #expect(try context.find(Tally.self, 1)?.views == 12 + others)
    context.undo()
    #expect(try context.find(Tally.self, 1)?.views == 11 + others)
    context.redo()
    #expect(try context.find(Tally.self, 1)?.views == 12 + others)
    context.undo()
    try context.save()
    #expect(try shown() == "old \(11 + others)")
    context.undo()
    try context.save()
    #expect(try shown() == "old \(10 + others)")
  }

  @Test("C3: a sum that becomes the unique value of another row is refused, and the context keeps its changes")
  func uniqueSum() throws {
    let store = try Store(inMemoryFor: RankedTally.self)
    try store.blocking.insert([RankedTally(id: 1, views: 1), RankedTally(id: 2, views: 3)])
    let context = Context(store, mergePolicy: .preferContext)
    try context.updateAll(RankedTally.where { $0.id == 1 }) { $0.views.increment(by: 1) }
    try store.blocking.updateAll(RankedTally.where { $0.id == 1 }) { $0.views.increment(by: 1) }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .duplicate)
    #expect(context.hasChanges)
    try store.blocking.delete(RankedTally.self, 2)
    try context.save()
    #expect(try store.blocking.find(RankedTally.self, 1)?.views == 3)
  }

  @Test("C3: derived sums are those of the added counters", arguments: MergePolicy.allCases)
  func derived(policy: MergePolicy) throws {
    let store = try Store(inMemoryFor: CountedSite.self, CountedPage.self)
    try store.blocking.insert(CountedSite(id: 1))
    try store.blocking.insert((1...2).map { CountedPage(id: $0, views: 10, site: ToOne(1)) })
    let context = Context(store, mergePolicy: policy)
    try context.updateAll(CountedPage.all) { $0.views.increment(by: 2) }
    #expect(try context.find(CountedSite.self, 1)?.views == 24)
    try store.blocking.updateAll(CountedPage.where { $0.id == 1 }) { $0.views.increment(by: 5) }
    try context.save()
    #expect(try store.blocking.find(CountedSite.self, 1)?.views == 29)
    #expect(try context.find(CountedSite.self, 1)?.views == 29)
  }

  private enum Action: CaseIterable { case elsewhere, increment, row, undo, redo, save }

  @Test("C3: after any additions here and elsewhere, undone or not, a counter is their plain sum")
  func randomSums() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 89)
    for history in 0..<30 {
      let store = try Store(inMemoryFor: Tally.self)
      var sums = [1: 0, 2: 0, 3: 0]
      try store.blocking.insert(sums.keys.map { Tally(id: $0) })
      let policy: MergePolicy = history.isMultiple(of: 2) ? .error : .preferStore
      let context = Context(store, mergePolicy: policy)
      var unsaved: [Int: Int] = [:]
      var steps: [(id: Int, amount: Int)] = []
      var undone: [(id: Int, amount: Int)] = []
      for number in 0..<40 {
        let place = "seed \(TestSeed.value), history \(history), action \(number)"
        let (id, amount) = (generator.pick([1, 2, 3]), generator.pick([1, 2, 5]))
        switch generator.pick(Action.allCases) {
        case .elsewhere:
          try store.blocking.updateAll(Tally.where { $0.id == id }) { $0.views.increment(by: amount) }
          sums[id, default: 0] += amount
        case .increment:
          try context.updateAll(Tally.where { $0.id == id }) { $0.views.increment(by: amount) }
          steps.append((id, amount))
          undone.removeAll()
          unsaved[id, default: 0] += amount
        case .row:
          var row = try #require(try context.find(Tally.self, id))
          row.views += amount
          context.update(row)
          if let refusal = context.refusals.first as? StoreError {
            #expect(policy == .error && refusal.code == .conflict, "\(place)")
            context.undo()
            try context.updateAll(Tally.where { $0.id == id }) { $0.views.increment(by: amount) }
          }
          steps.append((id, amount))
          undone.removeAll()
          unsaved[id, default: 0] += amount
        case .undo:
          #expect(context.undo() == !steps.isEmpty, "\(place)")
          guard let step = steps.popLast() else { break }
          undone.append(step)
          unsaved[step.id, default: 0] -= step.amount
        case .redo:
          #expect(context.redo() == !undone.isEmpty, "\(place)")
          guard let step = undone.popLast() else { break }
          steps.append(step)
          unsaved[step.id, default: 0] += step.amount
        case .save:
          try context.save(mergePolicy: generator.pick(MergePolicy.allCases))
          sums.merge(unsaved) { $0 + $1 }
          unsaved.removeAll()
          for db in [store.blocking, context] as [any StoreReader] {
            let found = try db.fetch(Tally.all)
            #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.views) }) == sums, "\(place)")
          }
        }
      }
    }
    TestSeed.tried(1200, .operations, "additions to counters beside those of others")
  }
}
