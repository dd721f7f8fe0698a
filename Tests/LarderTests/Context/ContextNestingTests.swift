import Larder
import Testing

@Model
private struct NestedSheet: Hashable {
  var id: Int
  var text: String = ""
}

/// Parents and children that work within one another's steps.
@Suite("Context: steps within steps of others", .timeLimit(.minutes(20)))
struct ContextNestingTests {
  private struct Stop: Error {}
  private let store: Store
  private let context: Context
  private let child: Context

  init() throws {
    store = try Store(inMemoryFor: NestedSheet.self)
    try store.blocking.insert([NestedSheet(id: 1), NestedSheet(id: 2)])
    context = Context(store)
    child = context.child()
  }

  private func texts(_ db: some StoreReader) throws -> [String] {
    try db.fetch(NestedSheet.all.sorted(by: \.id)).map { "\($0.id)\($0.text)" }
  }

  private func saveAll() throws {
    try child.save()
    try context.save()
  }

  @Test("a save of a child that its parent's step takes back leaves no version to compare with")
  func savedVersions() throws {
    child.update(NestedSheet(id: 1, text: "a"))
    #expect(throws: Stop.self) {
      try context.step {
        try child.save()
        throw Stop()
      }
    }
    #expect(child.undo())
    child.update(NestedSheet(id: 1, text: "b"))
    try saveAll()
    #expect(try texts(store.blocking) == ["1b", "2"])
  }

  @Test("what a child wrote in a step that failed is no version to compare with") func writtenVersions() throws {
    #expect(throws: Stop.self) {
      try context.step {
        child.update(NestedSheet(id: 1, text: "a"))
        throw Stop()
      }
    }
    child.update(NestedSheet(id: 2, text: "x"))
    try saveAll()
    child.update(NestedSheet(id: 1, text: "b"))
    try saveAll()
    #expect(try texts(store.blocking) == ["1b", "2x"])
  }

  @Test("what a parent wrote in a child's step that failed is no version to compare with") func parentsVersions() throws
  {
    context.update(NestedSheet(id: 2, text: "y"))
    #expect(throws: Stop.self) {
      try child.step {
        context.update(NestedSheet(id: 1, text: "a"))
        throw Stop()
      }
    }
    try context.save()
    context.update(NestedSheet(id: 1, text: "b"))
    try context.save()
    #expect(try texts(store.blocking) == ["1b", "2y"])
  }

  @Test("a row that a child changed and both saved is changed again without a conflict") func changedByChild() throws {
    _ = try context.find(NestedSheet.self, 1)
    child.update(NestedSheet(id: 1, text: "a"))
    try saveAll()
    context.update(NestedSheet(id: 1, text: "b"))
    try context.save()
    #expect(try texts(store.blocking) == ["1b", "2"])
  }

  @Test("a context is not saved within a child's step, which could not take that back") func saveWithin() throws {
    context.insert(NestedSheet(id: 3))
    let error = #expect(throws: StoreError.self) {
      try child.step {
        child.insert(NestedSheet(id: 4))
        try context.save()
      }
    }
    #expect(error?.code == .unsupported && error?.message.contains("step") == true)
    #expect(!child.hasChanges && context.hasChanges)
    try context.save()
    #expect(try texts(store.blocking) == ["1", "2", "3"])
  }

  @Test("steps of three contexts within one another fail and leave nothing") func threeDeep() throws {
    let grandchild = child.child()
    func innermost() {
      try? grandchild.step {
        grandchild.insert(NestedSheet(id: 12))
        child.insert(NestedSheet(id: 13))
        context.insert(NestedSheet(id: 14))
        throw Stop()
      }
    }
    #expect(throws: Stop.self) {
      try context.step {
        context.insert(NestedSheet(id: 10))
        try child.step {
          child.insert(NestedSheet(id: 11))
          innermost()
          grandchild.insert(NestedSheet(id: 15))
          try grandchild.save()
          let late = grandchild.child()
          late.insert(NestedSheet(id: 16))
          try late.save()
        }
        #expect(try texts(grandchild) == ["1", "2", "10", "11", "15", "16"])
        try child.save()
        throw Stop()
      }
    }
    for one in [context, child, grandchild] {
      #expect(try texts(one) == ["1", "2"])
      #expect(!one.hasChanges && !one.canUndo && !one.canRedo)
    }
    for isUndone in [false, true] {
      if isUndone { #expect(grandchild.undo()) } else { grandchild.insert(NestedSheet(id: 20)) }
      try grandchild.save()
      try saveAll()
      #expect(try texts(store.blocking) == ["1", "2"] + (isUndone ? [] : ["20"]))
    }
  }

  @Test("what is pending is still said to be when the store is closed") func closedStore() throws {
    context.insert(NestedSheet(id: 3))
    try store.blocking.close()
    #expect(context.hasChanges)
    #expect(throws: StoreError.self) { try context.save() }
  }
}
