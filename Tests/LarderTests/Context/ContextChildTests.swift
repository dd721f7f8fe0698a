import Foundation
import Larder
import Testing

@Suite("Context: children", .timeLimit(.minutes(20)))
struct ContextChildTests {
  private let store: Store
  private let first = Page(title: "first", number: 1)

  init() throws {
    store = try Store(inMemoryFor: Page.self)
    try store.blocking.insert(first)
  }

  private func titles(_ db: some StoreReader) throws -> [String] {
    try db.fetch(Page.all.sorted(by: \.title)).map(\.title)
  }

  @Test("C3: a child sees what is pending in its parent, later changes too, and keeps its own to itself")
  func layers() throws {
    let context = Context(store)
    let child = context.child()
    let grandchild = child.child()
    context.insert(Page(title: "parent"))
    child.insert(Page(title: "child"))
    grandchild.insert(Page(title: "grandchild"))
    #expect(try titles(context) == ["first", "parent"])
    #expect(try titles(child) == ["child", "first", "parent"])
    #expect(try titles(grandchild) == ["child", "first", "grandchild", "parent"])
    context.delete(first)
    child.insert(Page(title: "later"))
    #expect(try titles(grandchild) == ["child", "grandchild", "later", "parent"])
    #expect(try grandchild.fetch(Page.search("child OR parent OR first")).count == 2)
    #expect(try grandchild.fetch(Page.search("grandchild").ranked()).map(\.title) == ["grandchild"])
    #expect(try titles(context) == ["parent"])
    #expect(try titles(store.blocking) == ["first"])
  }

  @Test("C3: saving a child is one step of its parent")
  func step() throws {
    let context = Context(store)
    let child = context.child()
    let grandchild = child.child()
    grandchild.insert(Page(title: "a"))
    grandchild.delete(first)
    grandchild.insert(Page(title: "b"))
    try grandchild.save()
    #expect(try titles(context) == ["first"])
    #expect(try titles(child) == ["a", "b"])
    try child.updateAll(Page.where { $0.title == "a" }) { $0.title.set("c") }
    try child.save()
    #expect(try titles(context) == ["b", "c"])
    #expect(try titles(store.blocking) == ["first"])
    context.undo()
    #expect(try titles(context) == ["first"])
    #expect(!context.hasChanges && !context.canUndo)
    context.redo()
    try context.save()
    #expect(try titles(store.blocking) == ["b", "c"])
  }

  @Test("C3: a child that is given up leaves its parent as it was")
  func rollback() throws {
    let context = Context(store)
    context.insert(Page(title: "parent"))
    do {
      let child = context.child()
      try child.deleteAll(Page.all)
      #expect(try titles(child) == [])
      child.rollback()
      #expect(try titles(child) == ["first", "parent"])
      try child.deleteAll(Page.all)
    }
    #expect(try titles(context) == ["first", "parent"])
    try context.save()
    #expect(try titles(store.blocking) == ["first", "parent"])
  }

  @Test("C3: a row that the parent changed meanwhile is merged by the child's policy", arguments: MergePolicy.allCases)
  func merge(_ policy: MergePolicy) throws {
    let context = Context(store)
    let child = context.child(mergePolicy: policy)
    var mine = try #require(try child.find(Page.self, first.id))
    try context.updateAll(Page.all) {
      $0.title.set("parent")
      $0.number.set(5)
    }
    mine.title = "child"
    child.update(mine)
    if policy == .error {
      let error = #expect(throws: StoreError.self) { try child.save() }
      #expect(error?.code == .conflict)
      #expect(error?.property == "title")
      return
    }
    try child.save()
    let page = try context.find(Page.self, first.id)
    let expected: [MergePolicy: String] = [
      .preferStore: "parent 5", .preferContext: "child 5", .overwrite: "child 1", .rollback: "parent 5",
    ]
    #expect(page.map { "\($0.title) \($0.number)" } == expected[policy])
    context.undo()
    #expect(try context.find(Page.self, first.id)?.title == "parent")
  }
}
