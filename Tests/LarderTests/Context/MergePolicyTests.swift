import Foundation
import Larder
import Testing

/// Who changes the rows that a context has read.
enum OtherWriter: CaseIterable {
  case sameStore, otherStore, otherProcess
}

/// A row that somebody else changes too, under each policy.
@Suite("Context: rows that somebody else changed", .timeLimit(.minutes(20)))
struct MergePolicyTests {
  private let file: StoreFile
  private let store: Store
  private let entry = ProcessEntry(number: 1, text: "old")

  init() throws {
    file = try StoreFile()
    store = try file.open(ProcessEntry.self)
    try store.blocking.insert(entry)
  }

  private enum Edit {
    case text(String), number(Int), delete, insert(UUID, String)
  }

  private func edit(_ edit: Edit, by writer: OtherWriter) async throws {
    switch writer {
    case .sameStore: try change(edit, in: store.blocking)
    case .otherStore: try change(edit, in: try file.open(ProcessEntry.self).blocking)
    case .otherProcess:
      let child = try ChildProcess("edit", file.path)
      #expect(await child.line() == "ready")
      switch edit {
      case .text(let text): child.send("set \(entry.id) \(text)")
      case .number(let number): child.send("number \(entry.id) \(number)")
      case .delete: child.send("delete \(entry.id)")
      case .insert(let key, let text): child.send("insert \(key) \(text)")
      }
      #expect(await child.line() == "done")
    }
  }

  private func change(_ edit: Edit, in db: BlockingStore) throws {
    switch edit {
    case .text(let text): try db.updateAll(ProcessEntry.where { $0.id == entry.id }) { $0.text.set(text) }
    case .number(let number): try db.updateAll(ProcessEntry.where { $0.id == entry.id }) { $0.number.set(number) }
    case .delete: try db.delete(entry)
    case .insert(let key, let text): try db.insert(ProcessEntry(id: key, number: 0, text: text))
    }
  }

  private func stored(_ key: UUID? = nil) throws -> String? {
    try store.blocking.find(ProcessEntry.self, key ?? entry.id).map { "\($0.number) \($0.text)" }
  }

  private func expectConflict(_ context: Context, property: String?) {
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.model == "ProcessEntry")
    #expect(error?.property == property)
    #expect(error?.message.contains("one row") == true || error?.message.contains("One row") == true)
    #expect(context.hasChanges)
  }

  @Test("C3: a property that both sides changed", arguments: MergePolicy.allCases, OtherWriter.allCases)
  func sameProperty(_ policy: MergePolicy, _ writer: OtherWriter) async throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.find(ProcessEntry.self, entry.id))
    try await edit(.text("theirs"), by: writer)
    mine.text = "mine"
    context.update(mine)
    if policy == .error {
      expectConflict(context, property: "text")
      #expect(try stored() == "1 theirs")
      #expect(try context.find(ProcessEntry.self, entry.id)?.text == "mine")
      context.rollback()
      mine = try #require(try context.find(ProcessEntry.self, entry.id))
      #expect(mine.text == "theirs")
      mine.text = "mine again"
      context.update(mine)
      try context.save()
      #expect(try stored() == "1 mine again")
      return
    }
    try context.save()
    #expect(!context.hasChanges)
    let expected: [MergePolicy: String] = [
      .preferStore: "1 theirs", .preferContext: "1 mine", .overwrite: "1 mine", .rollback: "1 theirs",
    ]
    #expect(try stored() == expected[policy])
    #expect(try context.find(ProcessEntry.self, entry.id).map { "\($0.number) \($0.text)" } == expected[policy])
  }

  @Test("C3: different properties changed on the two sides", arguments: MergePolicy.allCases, OtherWriter.allCases)
  func otherProperty(_ policy: MergePolicy, _ writer: OtherWriter) async throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.first(ProcessEntry.all))
    try await edit(.number(7), by: writer)
    mine.text = "mine"
    context.update(mine)
    if policy == .error { return expectConflict(context, property: "number") }
    try context.save()
    let expected: [MergePolicy: String] = [
      .preferStore: "7 mine", .preferContext: "7 mine", .overwrite: "1 mine", .rollback: "7 old",
    ]
    #expect(try stored() == expected[policy])
  }

  @Test("C3: deleted there, changed here", arguments: MergePolicy.allCases, OtherWriter.allCases)
  func deletedThere(_ policy: MergePolicy, _ writer: OtherWriter) async throws {
    let context = Context(store, mergePolicy: policy)
    var mine = try #require(try context.fetch(ProcessEntry.all).first)
    mine.text = "mine"
    context.update(mine)
    try await edit(.delete, by: writer)
    if policy == .error { return expectConflict(context, property: nil) }
    try context.save()
    #expect(try stored() == ([.preferContext, .overwrite].contains(policy) ? "1 mine" : nil))
    #expect(!context.hasChanges)
  }

  @Test("C3: changed there, deleted here", arguments: MergePolicy.allCases, OtherWriter.allCases)
  func deletedHere(_ policy: MergePolicy, _ writer: OtherWriter) async throws {
    let context = Context(store, mergePolicy: policy)
    #expect(context.delete(entry))
    try await edit(.text("theirs"), by: writer)
    if policy == .error { return expectConflict(context, property: "text") }
    try context.save()
    #expect(try stored() == ([.preferContext, .overwrite].contains(policy) ? nil : "1 theirs"))
    #expect(!context.hasChanges)
  }

  @Test("C3: inserted on both sides", arguments: MergePolicy.allCases, OtherWriter.allCases)
  func insertedInBoth(_ policy: MergePolicy, _ writer: OtherWriter) async throws {
    let context = Context(store, mergePolicy: policy)
    let new = ProcessEntry(number: 5, text: "mine")
    context.insert(new)
    context.insert(ProcessEntry(number: 6, text: "other"))
    try await edit(.insert(new.id, "theirs"), by: writer)
    if policy == .error {
      expectConflict(context, property: "id")
      #expect(try store.blocking.count(ProcessEntry.all) == 2)
      return
    }
    try context.save()
    #expect(try stored(new.id) == ([.preferContext, .overwrite].contains(policy) ? "5 mine" : "0 theirs"))
    #expect(try store.blocking.count(ProcessEntry.all) == 3)
  }

  @Test("C3: a row that both sides deleted, or gave the same values, is no conflict")
  func agreement() throws {
    let context = Context(store)
    let second = ProcessEntry(number: 2, text: "second")
    try store.blocking.insert(second)
    context.delete(second)
    var mine = entry
    mine.text = "same"
    context.update(mine)
    try store.blocking.delete(second)
    try store.blocking.update(mine)
    try context.save()
    #expect(try stored() == "1 same")
    #expect(!context.hasChanges)
  }

  @Test("C3: the version that was read first counts, not the one that was there when the row was changed")
  func firstVersion() throws {
    let context = Context(store)
    var mine = try #require(try context.find(ProcessEntry.self, entry.id))
    try store.blocking.updateAll(ProcessEntry.all) { $0.text.set("theirs") }
    #expect(try context.fetch(ProcessEntry.all).map(\.text) == ["theirs"])
    mine.number = 9
    context.update(mine)
    #expect(throws: StoreError.self) { try context.save() }
  }

  @Test("C3: what the context saved is the version that its next change is compared with")
  func afterSave() throws {
    let context = Context(store)
    var mine = ProcessEntry(number: 3, text: "mine")
    context.insert(mine)
    try context.save()
    mine.number = 4
    context.update(mine)
    try context.save()
    #expect(try stored(mine.id) == "4 mine")
    try store.blocking.updateAll(ProcessEntry.where { $0.id == mine.id }) { $0.text.set("theirs") }
    mine.number = 5
    context.update(mine)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try stored(mine.id) == "4 theirs")
  }

  @Test("C3: a merge of a property that the user did not touch takes nothing back later")
  func mergedTwice() throws {
    let context = Context(store, mergePolicy: .preferContext)
    var mine = try #require(try context.find(ProcessEntry.self, entry.id))
    try store.blocking.updateAll(ProcessEntry.all) { $0.number.set(8) }
    mine.text = "a"
    context.update(mine)
    try context.save()
    mine.text = "b"
    context.update(mine)
    try context.save()
    #expect(try stored() == "8 b")
  }

  @Test("C3: a conflict says in how many rows")
  func count() throws {
    let entries = (0..<5).map { ProcessEntry(number: $0 + 10) }
    try store.blocking.insert(entries)
    let context = Context(store)
    try context.updateAll(ProcessEntry.where { $0.number >= 10 }) { $0.text.set("mine") }
    try store.blocking.updateAll(ProcessEntry.where { $0.number >= 11 }) { $0.text.set("theirs") }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.message.contains("ProcessEntry.text") == true)
    #expect(error?.message.contains("4 rows") == true)
  }

  @Test("C3: a unique value that somebody else took fails the save, and the context keeps its changes")
  func takenValue() throws {
    let file = try StoreFile()
    let store = try file.open(Page.self)
    let context = Context(store)
    context.insert(Page(title: "first"))
    context.insert(Page(title: "mine", code: "x"))
    let other = Page(title: "theirs", code: "x")
    try store.blocking.insert(other)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .duplicate)
    #expect(error?.property == "code")
    #expect(try store.blocking.count(Page.all) == 1)
    #expect(context.inserted.count == 2)
    try store.blocking.delete(other)
    try context.save()
    #expect(try store.blocking.count(Page.all) == 2)
  }
}
