import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Live results of a context", .timeLimit(.minutes(20)))
struct ContextLiveTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert([Stopover(id: 1, city: "Bern", days: 1), Stopover(id: 2, city: "Oslo", days: 2)])
  }

  @MainActor
  @Test("changes, undo, rollback, children, saves and commits of others are followed")
  func changes() async throws {
    let context = Context(store)
    var rows = context.live(Stopover.all.sorted(by: \.city)).makeAsyncIterator()
    func expect(_ cities: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
      // Several changes may arrive one by one or together.
      while let found = try await rows.next(isolation: MainActor.shared)?.map(\.city) {
        if found == cities { return }
      }
      Issue.record("the results ended", sourceLocation: sourceLocation)
    }
    try await expect(["Bern", "Oslo"])
    context.insert(Stopover(id: 3, city: "Chur", days: 1))
    try await expect(["Bern", "Chur", "Oslo"])
    context.undo()
    try await expect(["Bern", "Oslo"])
    context.redo()
    try await expect(["Bern", "Chur", "Oslo"])
    let child = context.child()
    child.delete(Stopover.self, 1)
    try child.save()
    try await expect(["Chur", "Oslo"])
    try await store.insert(Stopover(id: 4, city: "Zug", days: 1))
    try await expect(["Chur", "Oslo", "Zug"])
    context.rollback()
    try await expect(["Bern", "Oslo", "Zug"])
    context.delete(Stopover.self, 4)
    try context.save()
    try await expect(["Bern", "Oslo"])
    var names = context.live(Stopover.select(\.city).distinct()).makeAsyncIterator()
    #expect(try await names.next(isolation: MainActor.shared) == ["Bern", "Oslo"])
  }

  @MainActor
  @Test("a list shows a context's rows and changes them")
  func list() async throws {
    let context = Context(store)
    let list = LiveList(Stopover.all.sorted(by: \.city), in: context)
    try await list.load()
    try await list.insert(Stopover(id: 3, city: "Zug", days: 1))
    while list.count < 3 { await Task.yield() }
    try await list.remove(at: [0])
    while list.count > 2 { await Task.yield() }
    #expect(list.map(\.city) == ["Oslo", "Zug"])
    #expect(try await store.count(Stopover.all) == 2)
    try await list.save(Stopover(id: 2, city: "Aarau", days: 1))
    while list.first?.city != "Aarau" { await Task.yield() }
    try context.save()
    #expect(try await store.fetch(Stopover.all.sorted(by: \.id)).map(\.city) == ["Aarau", "Zug"])
  }

  @MainActor
  @Test("an error of the store ends the results, and so does the end of the task")
  func ends() async throws {
    let context = Context(store)
    var rows = context.live(Stopover.all).makeAsyncIterator()
    _ = try await rows.next(isolation: MainActor.shared)
    await store.close()
    let error = await #expect(throws: StoreError.self) {
      while try await rows.next(isolation: MainActor.shared) != nil {}
    }
    #expect(error?.code == .closed)
    #expect(try await rows.next(isolation: MainActor.shared) == nil)
  }
}
