import Foundation
import Larder
import Testing

@Suite("Context: steps, undo and refusals", .timeLimit(.minutes(20)))
struct ContextStepTests {
  private let store: Store
  private let first = Page(title: "first", code: "a", number: 1)

  init() throws {
    store = try Store(inMemoryFor: Page.self)
    try store.blocking.insert(first)
  }

  private func titles(_ db: some StoreReader) throws -> [String] {
    try db.fetch(Page.all.sorted(by: \.title)).map(\.title)
  }

  @Test("C3: each verb is a step, undone and done again to any depth")
  func undo() throws {
    let context = Context(store)
    #expect(!context.canUndo && !context.canRedo && !context.hasChanges)
    context.insert(Page(title: "second"))
    var changed = first
    changed.title = "changed"
    context.update(changed)
    context.delete(changed)
    #expect(try titles(context) == ["second"])
    #expect(context.undo())
    #expect(try titles(context) == ["changed", "second"])
    #expect(context.undo())
    #expect(try titles(context) == ["first", "second"])
    #expect(context.undo())
    #expect(try titles(context) == ["first"])
    #expect(!context.hasChanges && !context.canUndo)
    #expect(!context.undo())
    for expected in [["first", "second"], ["changed", "second"], ["second"]] {
      #expect(context.redo())
      #expect(try titles(context) == expected)
    }
    #expect(!context.redo())
    try context.save()
    #expect(try titles(store.blocking) == ["second"])
  }

  @Test(
    "C3: a step that fails takes back what a child did within it, and the child goes on", arguments: [false, true],
    [false, true])
  func failedStepWithChild(isUsed: Bool, saves: Bool) throws {
    struct Stop: Error {}
    let context = Context(store)
    let child = context.child()
    if isUsed { child.insert(Page(title: "before")) }
    #expect(throws: Stop.self) {
      try context.step {
        child.insert(Page(title: "within"))
        if saves { try child.save() }
        throw Stop()
      }
    }
    let before = isUsed ? ["before"] : []
    #expect(try titles(child) == before + ["first"] && titles(context) == ["first"])
    #expect(child.hasChanges == isUsed && child.canUndo == isUsed && !context.hasChanges && !context.canUndo)
    child.insert(Page(title: "after"))
    #expect(child.undo() && child.redo())
    try child.save()
    try context.save()
    #expect(try titles(store.blocking) == ["after"] + before + ["first"])
  }

  @Test("C3: undo after save makes the reverse of the step pending")
  func undoAfterSave() throws {
    let context = Context(store)
    context.insert(Page(title: "second"))
    try context.updateAll(Page.all) { $0.number.increment(by: 10) }
    context.delete(first)
    try context.save()
    #expect(!context.hasChanges)
    context.undo()
    #expect(context.inserted(Page.self).map(\.number) == [11])
    context.undo()
    #expect(context.updated(Page.self).map(\.title) == ["second"])
    context.undo()
    #expect(context.deleted(Page.self).map(\.title) == ["second"])
    try context.save()
    #expect(try store.blocking.fetch(Page.all) == [first])
    context.redo()
    try context.save()
    #expect(try titles(store.blocking) == ["first", "second"])
  }

  @Test("C3: a change after undo forgets what was undone")
  func branch() throws {
    let context = Context(store)
    context.insert(Page(title: "second"))
    context.undo()
    context.insert(Page(title: "third"))
    #expect(!context.canRedo)
    #expect(try titles(context) == ["first", "third"])
    context.undo()
    #expect(try titles(context) == ["first"])
  }

  @Test("C3: step groups verbs, and an error inside undoes all of them")
  func step() throws {
    let context = Context(store)
    try context.step {
      context.insert(Page(title: "second"))
      context.insert(Page(title: "third"))
    }
    #expect(try titles(context).count == 3)
    #expect(throws: CancellationError.self) {
      try context.step {
        context.delete(first)
        throw CancellationError()
      }
    }
    #expect(try titles(context).count == 3)
    context.undo()
    #expect(try titles(context) == ["first"])
    #expect(!context.canUndo)
  }

  @Test("C3: rollback gives up what is pending, and keeps what can be undone of earlier saves")
  func rollback() throws {
    let context = Context(store)
    context.insert(Page(title: "second"))
    try context.save()
    context.insert(Page(title: "third"))
    context.rollback()
    #expect(try titles(context) == ["first", "second"])
    #expect(!context.hasChanges && !context.canRedo)
    context.undo()
    #expect(try titles(context) == ["first"])
    context.rollback()
    #expect(try titles(context) == ["first", "second"])
    context.undo()
    context.insert(Page(title: "fourth"))
    context.rollback()
    #expect(try titles(context) == ["first", "second"])
    #expect(!context.canUndo)
  }

  @Test("C3: what cannot be kept is a refusal, which save throws and undo forgets")
  func refusals() throws {
    let context = Context(store)
    context.insert(Page(title: "second"))
    context.insert(first)
    #expect((context.refusals.first as? StoreError)?.code == .duplicate)
    context.update(Page(title: "missing"))
    #expect((context.refusals.last as? StoreError)?.code == .notFound)
    context.insert([Page(title: "third"), Page(title: "")])
    #expect(context.refusals.last is Page.Untitled)
    #expect(try titles(context) == ["first", "second"])
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .duplicate)
    #expect(try titles(store.blocking) == ["first"])
    for _ in 0..<3 { context.undo() }
    #expect(context.refusals.isEmpty)
    #expect(try titles(context) == ["first", "second"])
    try context.save()
    #expect(try titles(store.blocking) == ["first", "second"])
    context.insert(first)
    context.rollback()
    #expect(context.refusals.isEmpty)
  }

  @Test("C3: in generic code a refusal is thrown at once, and not remembered")
  func generic() throws {
    func insert(_ page: Page, in db: some StoreWriter) throws { try db.insert(page) }
    let context = Context(store)
    #expect(throws: StoreError.self) { try insert(first, in: context) }
    #expect(context.refusals.isEmpty && !context.canUndo)
    #expect(throws: StoreError.self) { try context.save(Page(title: "other", code: "a")) }
    #expect(context.refusals.isEmpty)
    try context.save()
  }

  @Test("C3: the changes are listed by what becomes of the rows")
  func changes() throws {
    let other = Page(title: "other", number: 2)
    try store.blocking.insert(other)
    let context = Context(store)
    let new = Page(title: "new", price: 1.5, tags: ["a"])
    context.insert(new)
    var changed = first
    changed.title = "changed"
    context.update(changed)
    context.delete(other)
    #expect(context.inserted(Page.self) == [new])
    #expect(context.updated(Page.self) == [changed])
    #expect(context.deleted(Page.self) == [other])
    #expect(context.inserted.count == 1 && context.updated.count == 1 && context.deleted.count == 1)
    context.delete(new)
    context.insert(other)
    #expect(context.inserted.isEmpty && context.deleted.isEmpty)
    #expect(context.hasChanges)
  }

  @Test("C3: values that rows exchange, and free for others, are saved")
  func exchangedValues() throws {
    let second = Page(title: "second", code: "b")
    let third = Page(title: "third", code: "c")
    try store.blocking.insert([second, third])
    let context = Context(store)
    func set(_ page: Page, _ code: String?) { context.update(Page(id: page.id, title: page.title, code: code)) }
    set(first, nil)
    set(second, "a")
    set(first, "b")
    context.delete(third)
    context.insert(Page(title: "new", code: "c"))
    #expect(context.refusals.isEmpty)
    try context.save()
    #expect(try store.blocking.fetch(Page.all.sorted(by: \.title)).map(\.code) == ["b", "c", "a"])
    let taken = Context(store)
    set(second, "b")
    #expect(context.refusals.count == 1)
    #expect(taken.refusals.isEmpty)
  }
}
