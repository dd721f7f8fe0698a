import Larder
import LarderTestSupport
import Synchronization
import Testing

@Suite struct ValidationTests {
  struct TooLong: Error, Equatable { var title: String }

  /// Counts the calls of `validate()` for each run of a test.
  final class Calls: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    func take() -> Int {
      count.withLock {
        let count = $0; $0 = 0; return count
      }
    }
  }

  @Model struct Post: Hashable {
    var id: Int
    var title: String
    @Transient var calls: Witness = Witness()

    func validate() throws {
      calls.value?.add()
      if title.count > 5 { throw TooLong(title: title) }
    }
  }

  /// Equal to every other one, so that models with it compare by what is stored.
  struct Witness: Hashable, Sendable {
    var value: Calls?
    static func == (left: Witness, right: Witness) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  @Test("validate() is called once for each value before insert, save and update, asynchronous and blocking")
  func called() async throws {
    let store = try Store(inMemoryFor: Post.self)
    let calls = Calls()
    func post(_ id: Int, _ title: String = "a") -> Post { Post(id: id, title: title, calls: Witness(value: calls)) }
    try await store.insert(post(1))
    #expect(calls.take() == 1)
    try await store.save(post(1))
    #expect(calls.take() == 1)
    try await store.update(post(1))
    #expect(calls.take() == 1)
    try await store.insert([post(2), post(3)])
    #expect(calls.take() == 2)
    try await store.save([post(2), post(3)])
    #expect(calls.take() == 2)
    try await store.update([post(2), post(3)])
    #expect(calls.take() == 2)
    try store.blocking.insert(post(4))
    try store.blocking.save([post(4)])
    try store.blocking.update(post(4))
    #expect(calls.take() == 3)
    try await store.write { db in
      try db.insert(Post(id: 5, title: "a", calls: Witness(value: calls)))
      try db.update([Post(id: 5, title: "b", calls: Witness(value: calls))])
    }
    #expect(calls.take() == 2)
    try await store.delete(post(1))
    try await store.updateAll(Post.all) { $0.title.set("c") }
    _ = try await store.fetch(Post.all)
    #expect(calls.take() == 0)
  }

  @Test("a value that validate() refuses is not written, the error arrives unchanged, and no value after it is asked")
  func refused() async throws {
    let store = try Store(inMemoryFor: Post.self)
    let calls = Calls()
    let good = Post(id: 1, title: "a", calls: Witness(value: calls))
    let bad = Post(id: 2, title: "far too long", calls: Witness(value: calls))
    let expected = TooLong(title: "far too long")
    await #expect(throws: expected) { try await store.insert(bad) }
    await #expect(throws: expected) { try await store.save(bad) }
    await #expect(throws: expected) { try await store.update(bad) }
    #expect(calls.take() == 3)
    await #expect(throws: expected) { try await store.insert([good, bad, good]) }
    #expect(calls.take() == 2)
    await #expect(throws: expected) { try await store.save([bad, good]) }
    #expect(calls.take() == 1)
    #expect(throws: expected) { try store.blocking.save([good, bad, good]) }
    #expect(calls.take() == 2)
    await #expect(throws: expected) {
      try await store.write { db in
        try db.insert(good); try db.insert(bad)
      }
    }
    #expect(try await store.count(Post.all) == 0)
    try await store.insert(good)
    #expect(try await store.fetch(Post.all) == [good])
  }
}
