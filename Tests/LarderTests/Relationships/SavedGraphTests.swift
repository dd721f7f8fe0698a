import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Saves of a value with its rows, and what is not loaded: edges")
struct SavedGraphTests {
  @Test("a row in both of two relationships is linked by both")
  func both() async throws {
    let store = try Store(inMemoryFor: EdgePerson.self, EdgeTask.self)
    let task = EdgeTask(id: 1)
    try await store.save(
      EdgePerson(id: 1, name: "a", owned: ToMany([task]), reviewed: ToMany([task])), including: \.owned, \.reviewed)
    let saved = try #require(try await store.find(EdgeTask.self, 1))
    #expect(saved.reviewer?.id == 1)
    #expect(saved.owner?.id == 1)
  }

  @Test("the value is saved as it is, also if rows behind its relationship lead back to it")
  func back() async throws {
    let store = try Store(inMemoryFor: EdgePerson.self, EdgeTask.self)
    try await store.insert([EdgePerson(id: 1, name: "a"), EdgePerson(id: 2, name: "b")])
    try await store.setLinks(EdgePerson(id: 1, name: "a"), \.idols, [EdgePerson(id: 2, name: "b")])
    var person = try #require(
      try await store.fetch(EdgePerson.where { $0.id == 1 }.including(\.idols, then: \.fans)).first)
    person.name = "new"
    try await store.save(person, including: \.idols, then: \.fans)
    #expect(try await store.find(EdgePerson.self, 1)?.name == "new")
  }

  @Test("a reference whose row the inclusion leaves out is there, and not loaded")
  func missing() async throws {
    let store = try Store(inMemoryFor: EdgeOrder.self, EdgeLine.self, EdgePart.self, EdgeDay.self)
    try await store.insert(EdgeOrder(id: 1))
    try await store.insert(EdgeDay(id: 1, order: ToOne(1)))
    let query = EdgeDay.all.including(\.order) { $0.where { $0.factor > 0 }.including(\.lines) }
    var day = try #require(try await store.fetch(query).first)
    #expect(day.order == ToOne(1) && day.order?.loaded == nil)
    day.name = "x"
    try await store.save(day, including: \.order)
    #expect(try await store.find(EdgeDay.self, 1)?.order == ToOne(1))
    let json = try await store.export(query)
    #expect(try await store.import(EdgeDay.self, from: json, keys: .new) == [2])
    #expect(try await store.find(EdgeDay.self, 2)?.order == ToOne(1))
  }

  @MainActor
  @Test("load throws in a cancelled task, and works in another one", .timeLimit(.minutes(20)))
  func cancelled() async throws {
    let store = try Store(inMemoryFor: EdgeSmall.self)
    try await store.insert(EdgeSmall(id: 1))
    let list = LiveList(EdgeSmall.all, in: store)
    let task = Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      let own = LiveList(EdgeSmall.all, in: store)
      try await own.load()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await list.load()
    #expect(list.map(\.id) == [1])
  }
}
