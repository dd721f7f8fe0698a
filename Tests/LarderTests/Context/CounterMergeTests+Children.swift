import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Child contexts, and rows whose date of expiry a context has moved.
extension CounterMergeTests {
  @Test("C3: what a child adds is added to its parent's sum", arguments: MergePolicy.allCases)
  func children(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    let child = context.child()
    var mine = try #require(try child.find(Tally.self, 1))
    try context.updateAll(Tally.all) { $0.views.increment(by: 3) }
    mine.views += 2
    child.update(mine)
    try addElsewhere(5)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    try child.save()
    #expect(try context.find(Tally.self, 1)?.views == 16)
    try context.save()
    #expect(try shown() == "old 21")

    try child.updateAll(Tally.all) { $0.views.increment(by: 2) }
    try addElsewhere(5)
    try child.save()
    try addElsewhere(5)
    try context.save()
    #expect(try shown() == "old 33")

    // The parent takes back what the child has added, and nothing else.
    context.undo()
    try context.save()
    #expect(try shown() == "old 31")
  }

  /// Returns a child of the context, or a child of its child.
  private func child(of context: Context, depth: Int) -> Context {
    (0..<depth).reduce(context) { parent, _ in parent.child() }
  }

  /// Saves the child into the context, and the context into the store.
  private func save(_ child: Context, into context: Context) throws {
    var layer = child
    while let parent = layer.parent {
      try layer.save()
      layer = parent
    }
    #expect(layer === context)
    try context.save()
  }

  @Test(
    "C3: a row of the parent that is written in a child adds the difference from what the parent has read",
    arguments: MergePolicy.allCases, [1, 2])
  func rowOfParent(policy: MergePolicy, depth: Int) throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    let child = child(of: context, depth: depth)
    mine.name = "new"
    child.update(mine)
    #expect(child.refusals.isEmpty)
    try save(child, into: context)
    #expect(try shown() == "new 15")
    #expect(try context.find(Tally.self, 1)?.views == 15)

    // What others add after the child was saved is added as well.
    mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    let other = self.child(of: context, depth: depth)
    mine.views += 2
    other.update(mine)
    #expect(other.refusals.isEmpty)
    try addElsewhere(5)
    try other.save()
    try addElsewhere(5)
    if depth > 1 { try other.parent?.save() }
    try context.save()
    #expect(try shown() == "new 32")
  }

  @Test("C3: a row in a child, when its parent has read several values", arguments: MergePolicy.allCases, [1, 2])
  func severalReadingsOfParent(policy: MergePolicy, depth: Int) throws {
    let context = Context(store, mergePolicy: policy)
    _ = try context.find(Tally.self, 1)
    try addElsewhere(5)
    var mine = try #require(try context.find(Tally.self, 1))
    mine.views += 1
    let child = child(of: context, depth: depth)
    try write(mine, in: child)
    try save(child, into: context)
    #expect(try shown() == "old 16")
  }

  @Test("C3: a row in a child, when its parent has added to a value that it hasn't read")
  func additionsOfParent() throws {
    let context = Context(store)
    var mine = try #require(try context.find(Tally.self, 1))
    try addElsewhere(5)
    try context.updateAll(Tally.all) { $0.views.increment(by: 1) }
    mine.views += 1
    let child = context.child()
    let error = #expect(throws: StoreError.self) { try child.save(mine) }
    #expect(error?.code == .conflict)
    #expect(error?.property == "views")
    try save(child, into: context)
    #expect(try shown() == "old 16")
  }

  @Test("C3: a row that the parent has changed or inserted is written in a child", arguments: MergePolicy.allCases)
  func unsavedRowOfParent(policy: MergePolicy) throws {
    let context = Context(store, mergePolicy: policy)
    _ = try context.find(Tally.self, 1)
    try context.updateAll(Tally.all) { $0.views.increment(by: 3) }
    context.insert(Tally(id: 2, name: "more", views: 1))
    let child = context.child()
    for id in 1...2 {
      var mine = try #require(try context.find(Tally.self, id))
      mine.views += 2
      child.update(mine)
    }
    #expect(child.refusals.isEmpty)
    try addElsewhere(5)
    try save(child, into: context)
    #expect(try [shown(), shown(2)] == ["old 20", "more 3"])

    // A new row in the place of one that was read has its own counters.
    _ = try context.find(Tally.self, 2)
    try store.blocking.delete(Tally.self, 2)
    context.insert(Tally(id: 2, name: "again"))
    let other = context.child()
    other.update(Tally(id: 2, name: "again", views: 1))
    #expect(other.refusals.isEmpty)
    try save(other, into: context)
    #expect(try shown(2) == "again 1")
  }

  @Test(
    "C3: the last of several values of a row counts",
    arguments: [MergePolicy.preferStore, .preferContext, .overwrite, .rollback], [[11, 16], [16, 11]])
  func repeatedRow(policy: MergePolicy, views: [Int]) throws {
    let context = Context(store, mergePolicy: policy)
    _ = try context.find(Tally.self, 1)
    try addElsewhere(5)
    _ = try context.find(Tally.self, 1)
    context.update(views.map { Tally(id: 1, name: "old", views: $0) })
    #expect(context.refusals.isEmpty)
    try context.save()
    #expect(try shown() == "old 16")
  }

  @Test("C3: a row that got a later date adds to what others have added before its former date", arguments: 0...2)
  func extended(depth: Int) throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: CountedOffer.self, configuration: clock.configuration)
    store.sweeper.stop()
    try store.blocking.save(CountedOffer(id: 1, views: 10), expires: clock.now + 10)
    let context = Context(store)
    let child = child(of: context, depth: depth)
    #expect(try child.setExpiry(of: CountedOffer.self, 1, to: clock.now + 100))
    try child.updateAll(CountedOffer.all) { $0.views.increment(by: 2) }
    try store.blocking.updateAll(CountedOffer.all) { $0.views.increment(by: 3) }
    clock.advance(by: 11)
    #expect(try store.blocking.find(CountedOffer.self, 1) == nil)
    try save(child, into: context)
    #expect(try store.blocking.find(CountedOffer.self, 1)?.views == 15)
    guard depth == 0 else { return }

    // The addition is undone, and nothing of what others have added.
    #expect(context.undo())
    try context.save()
    #expect(try store.blocking.find(CountedOffer.self, 1)?.views == 13)
  }

  @Test("C3: a row that got a later date in a child adds to what its parent has added, too")
  func extendedInChild() throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: CountedOffer.self, configuration: clock.configuration)
    store.sweeper.stop()
    try store.blocking.save(CountedOffer(id: 1, views: 10), expires: clock.now + 10)
    let context = Context(store)
    try context.updateAll(CountedOffer.all) { $0.views.increment(by: 1) }
    let child = context.child()
    #expect(try child.setExpiry(of: CountedOffer.self, 1, to: clock.now + 100))
    try child.updateAll(CountedOffer.all) { $0.views.increment(by: 2) }
    try store.blocking.updateAll(CountedOffer.all) { $0.views.increment(by: 3) }
    clock.advance(by: 11)
    try save(child, into: context)
    #expect(try store.blocking.find(CountedOffer.self, 1)?.views == 16)
  }
}
