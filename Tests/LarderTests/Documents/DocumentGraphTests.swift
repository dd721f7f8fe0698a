import Foundation
import Synchronization
import Testing

@testable import Larder

@Suite("Documents: graphs", .timeLimit(.minutes(20)))
struct DocumentGraphTests {
  private func makeStore(_ clock: TestClock = TestClock()) throws -> Store {
    let store = try Store(inMemoryFor: DocumentShelf.self, configuration: clock.configuration)
    store.sweeper.stop()
    return store
  }

  @Test("B2: what was loaded and not set again is not written, so that nobody's later change is lost")
  func unchanged() async throws {
    let store = try makeStore()
    let villagers = store.documents(Villager.self)
    try await store.save(DocumentGraph(Villager(key: "a", name: "A", partner: "b"), Villager(key: "b", name: "B")))
    var (a, graph) = try #require(try await villagers.load("a"))
    try await villagers.save(Villager(key: "b", name: "changed meanwhile"))
    try await store.save(graph)
    a.name = "A2"
    graph[DocumentReference(a)] = a
    graph["c"] = Villager(key: "ignored", name: "C")
    try await store.save(graph)
    #expect(try await villagers.fetch(sort: "key").map(\.value.name) == ["A2", "changed meanwhile", "C"])
    #expect(try await villagers.find("c")?.key == "c")
    graph[DocumentReference<Villager>("b")] = nil
    try await store.save(graph)
    #expect(try await villagers.contains("b"))
    #expect(graph.count == 2)
  }

  @Test(
    "B7: an expired target is missing; documents of a graph keep the date at which they expire, and one in an expired one's place is new"
  )
  func expiry() async throws {
    let clock = TestClock()
    let store = try makeStore(clock)
    let villagers = store.documents(Villager.self)
    try await store.save(
      DocumentGraph(Villager(key: "a", partner: "b"), Villager(key: "b", partner: "c")), expires: nil)
    try await store.save(DocumentGraph(Villager(key: "b", partner: "c")), expires: clock.now + 10)
    #expect(try await villagers.expiry(of: "a") == nil)
    #expect(try await villagers.expiry(of: "b") == clock.now + 10)
    try await store.save(DocumentGraph(Villager(key: "b", name: "B", partner: "c")))
    #expect(try await villagers.expiry(of: "b") == clock.now + 10)
    #expect(try await villagers.load("a")?.graph.missing.map(\.key) == ["c"])
    clock.now += 10
    let graph = try #require(try await villagers.load("a")?.graph)
    #expect(graph.isMissing("b" as DocumentReference<Villager>) && graph.missing.count == 1 && graph.count == 1)
    #expect(try await villagers.load("b") == nil)
    try await store.save(DocumentGraph(Villager(key: "b", name: "new")))
    #expect(try await villagers.find("b")?.name == "new")
    #expect(try await villagers.expiry(of: "b") == nil)
    await #expect(throws: StoreError.self) {
      try await store.save(DocumentGraph(Villager(key: "b")), expires: Date(timeIntervalSinceReferenceDate: .nan))
    }
  }

  @Test("B2: a graph of which one document cannot be stored leaves nothing, neither documents nor collections")
  func failures() async throws {
    struct Shelf: StoredDocument {
      static let collection = "DocumentShelf"
      var key: String
    }
    struct Measure: StoredDocument {
      static let collection = "measures"
      var key: String
      var value: Double
    }
    struct Stop: Error {}
    let store = try makeStore()
    let taken = DocumentGraph(Villager(key: "a"), Shelf(key: "s"))
    #expect(await #expect(throws: StoreError.self) { try await store.save(taken) }?.code == .schemaMismatch)
    #expect(throws: StoreError.self) { try store.blocking.save(taken) }
    let infinite = DocumentGraph(Villager(key: "a"), Measure(key: "m", value: .infinity))
    let error = await #expect(throws: StoreError.self) { try await store.save(infinite) }
    #expect(error?.code == .invalidValue && error?.model == "measures" && error?.property == "value")
    await #expect(throws: Stop.self) {
      try await store.write { db in
        try db.save(DocumentGraph(Villager(key: "a", partner: "b"), Villager(key: "b")))
        #expect(try db.documents(Villager.self).load("a")?.graph.count == 2)
        throw Stop()
      }
    }
    #expect(try await store.documentCollections == [])
    try await store.write { db in
      #expect(throws: StoreError.self) { try db.save(taken) }
      try db.save(DocumentGraph(Villager(key: "z")))
    }
    #expect(try await store.documents(Villager.self).keys() == ["z"])
    let context = Context(store)
    #expect(throws: StoreError.self) { try context.documents(Villager.self).save(Villager(key: "c")) }
  }

  @Test("B4: a link that was misspelt, isn't a path or doesn't say where it leads is an error with the remedy")
  func wrongLinks() async throws {
    let store = try makeStore()
    let villagers = store.documents(Villager.self)
    try await store.save(DocumentGraph(Villager(key: "a", partner: "b"), Cottage(key: "mill", owner: "a")))
    let misspelt = await #expect(throws: StoreError.self) { try await villagers.load("a", following: "partnr") }
    #expect(
      misspelt?.code == .schemaMismatch && misspelt?.property == "partnr"
        && misspelt?.message.contains("partner") == true)
    #expect(try await villagers.load("a", following: "partnr", validatesProperties: false)?.graph.count == 1)
    // One that documents of another collection have, and one that resembles none, may come on a later level.
    #expect(try await villagers.load("a", following: "owner", "comesLater")?.graph.count == 1)
    await #expect(throws: StoreError.self) {
      try await villagers.load("a", following: DocumentLink("partnr", in: "villagers"))
    }
    for text in ["", "a..b", "a[", "a[*", "a[x]", "[*]", "a.[*]", "a[*]b", "a[**]"] {
      let link = DocumentLink(text)
      let error = await #expect(throws: StoreError.self, "\(text)") { try await villagers.load("a", following: link) }
      #expect(error?.code == .invalidValue && error?.property == text)
    }
    let untyped = await #expect(throws: StoreError.self) {
      try await store.documents("villagers").load("a", following: "partner")
    }
    #expect(
      untyped?.code == .invalidValue && untyped?.model == "villagers"
        && untyped?.message.contains("DocumentLink(\"partner\", to:") == true)
    #expect(await #expect(throws: StoreError.self) { try await villagers.load("a", depth: -1) }?.code == .invalidValue)
  }

  @Test("B2: two types for one collection, and a target that does not decode, are errors that name it")
  func wrongTypes() async throws {
    struct Other: StoredDocument {
      static let collection = "Villagers"
      var key: String
    }
    struct Both: StoredDocument {
      static let collection = "both"
      var key: String
      var one: DocumentReference<Villager>?
      var other: DocumentReference<Other>?
    }
    let store = try makeStore()
    try await store.save(
      DocumentGraph(Both(key: "b", one: "x", other: "y"), Villager(key: "x"), Cottage(key: "mill", owner: "bad")))
    let error = await #expect(throws: StoreError.self) { try await store.documents(Both.self).load("b") }
    #expect(error?.code == .schemaMismatch && error?.message.contains("Villager") == true)
    #expect(
      try await store.documents(Both.self).load("b", following: "other")?.graph["x" as DocumentReference<Villager>]
        == nil)
    try await store.documents("villagers").save("bad", ["name": 1])
    let damaged = await #expect(throws: StoreError.self) { try await store.documents(Cottage.self).load("mill") }
    #expect(
      damaged?.code == .invalidValue && damaged?.model == "villagers" && damaged?.message.contains("\"bad\"") == true)
  }

  @Test("B2: ten thousand targets of one document are one statement, and each level and collection one more")
  func statements() async throws {
    let count = Mutex(0)
    let file = try StoreFile()
    let configuration = Store.Configuration(trace: { event in
      if event.sql.hasPrefix("SELECT key, json") { count.withLock { $0 += 1 } }
    })
    let store = try Store(at: file.path, configuration: configuration)
    let keys = (0..<10_000).map { "v\u{0}\($0)" }
    var graph = DocumentGraph()
    graph.insert(Cottage(key: "mill", rooms: [keys.map { DocumentReference($0) }]))
    // All refer to all that follow within a hundred, and the last ones to what is missing.
    for (number, key) in keys.enumerated() where !number.isMultiple(of: 10) {
      let friends = (1...3).map { DocumentReference<Villager>("v\u{0}\(number + $0 * 33)") }
      graph.insert(
        Villager(
          key: key, partner: DocumentReference(key), friends: friends,
          homes: ["x": .init(cottage: DocumentReference("c\(number % 7)"))]))
    }
    try await store.save(graph)
    #expect(try await store.documents(Cottage.self).load("mill", following: "rooms")?.graph.count == 9001)
    #expect(count.withLock { $0 } == 2)
    let all = try #require(try await store.documents(Cottage.self).load("mill")?.graph)
    #expect(all.count == 9001 && all.missing.filter { $0.collection == "villagers" }.count == 1000 + 96)
    #expect(all.missing.filter { $0.collection == "cottages" }.count == 7)
    // The root, its villagers, and what they refer to in two collections.
    #expect(count.withLock { $0 } == 2 + 4)
    let chain = (0..<50).map { Villager(key: "c\($0)", partner: DocumentReference("c\($0 + 1)")) }
    var links = DocumentGraph()
    links.insert(contentsOf: chain)
    try store.blocking.save(links)
    for depth in [0, 1, 7, 49, 50, 51, 1000] {
      let graph = try #require(try await store.documents(Villager.self).load("c0", depth: depth)?.graph)
      #expect(graph.count == min(depth + 1, 50) && graph.missing.count == (depth >= 50 ? 1 : 0))
    }
  }

  @Test("B9: live results of a graph follow every document that was read, and those that were missing")
  func live() async throws {
    let file = try StoreFile()
    let store = try file.open()
    try await store.save(DocumentGraph(Cottage(key: "mill", owner: "mia")))
    let live = store.live { db in
      try db.documents(Cottage.self).load("mill").map { $0.graph[$0.document.owner ?? ""]?.name ?? "missing" } ?? "none"
    }
    var results = live.makeAsyncIterator()
    #expect(try await results.next() == "missing")
    try await store.documents(Villager.self).save(Villager(key: "mia", name: "Mia"))
    #expect(try await results.next() == "Mia")
    try await store.documents("villagers").update("mia", ["name": "M."])
    #expect(try await results.next() == "M.")
    try await store.documents(Villager.self).delete("mia")
    #expect(try await results.next() == "missing")
    try await store.documents(Cottage.self).deleteCollection()
    #expect(try await results.next() == "none")
  }
}

/// A document that calls a test while it is decoded.
private struct Observed: StoredDocument {
  static let collection = "observed"
  static let decoding = Mutex<(@Sendable (String) -> Void)?>(nil)
  var key: String
  var next: DocumentReference<Observed>?

  enum CodingKeys: CodingKey { case key, next }

  init(key: String, next: DocumentReference<Observed>? = nil) {
    self.key = key
    self.next = next
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    key = try container.decode(String.self, forKey: .key)
    next = try container.decodeIfPresent(DocumentReference<Observed>.self, forKey: .next)
    Self.decoding.withLock { $0 }?(key)
  }
}

@Suite("Documents: graphs that are loaded while others write", .serialized, .timeLimit(.minutes(20)))
struct DocumentGraphViewTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    Observed.decoding.withLock { $0 = nil }
  }

  private func fill(_ store: Store, _ count: Int) async throws {
    var graph = DocumentGraph()
    for number in 0..<count { graph.insert(Observed(key: "\(number)", next: DocumentReference("\(number + 1)"))) }
    try await store.save(graph)
  }

  @Test(
    "B12: a target that another connection deletes meanwhile is there: all is read as of one commit",
    arguments: [false, true])
  func oneView(isBlocking: Bool) async throws {
    let store = try file.open()
    try await fill(store, 5)
    let other = try file.open()
    Observed.decoding.withLock { decoding in
      decoding = { key in
        guard key == "0" else { return }
        #expect(throws: Never.self) {
          #expect(try other.blocking.documents("observed").delete(["3", "4"]) == 2)
          try other.blocking.documents("observed").save("5", [:])
        }
      }
    }
    let found =
      isBlocking
      ? try store.blocking.documents(Observed.self).load("0") : try await store.documents(Observed.self).load("0")
    #expect(found?.graph.count == 5 && found?.graph.missing.map(\.key) == ["5"])
    Observed.decoding.withLock { $0 = nil }
    let after = try await store.documents(Observed.self).load("0")?.graph
    #expect(after?.count == 3 && after?.missing.map(\.key) == ["3"])
  }

  @Test("B12: a target that another process deletes meanwhile is there, too")
  func otherProcess() async throws {
    let store = try file.open()
    var graph = DocumentGraph()
    graph["people", "a"] = ["next": "b"]
    graph["people", "b"] = ["n": 1]
    try await store.save(graph)
    let child = try ChildProcess("documents-edit", file.path)
    #expect(await child.line() == "ready")
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let deleted = DispatchSemaphore(value: 0)
    async let found = store.read { db in
      let first = try db.documents("people").load("a", depth: 0)
      begin.finish()
      // Nobody of Swift's pool: reads have threads of their own.
      deleted.wait()
      return (
        first?.graph.count,
        try db.documents("people").load("a", following: DocumentLink("next", to: "people"))?.graph.count
      )
    }
    for await _ in begun {}
    child.send("delete b")
    #expect(await child.line() == "done")
    deleted.signal()
    let counts = try await found
    #expect(counts.0 == 1 && counts.1 == 2)
    #expect(
      try await store.documents("people").load("a", following: DocumentLink("next", to: "people"))?.graph.missing.map(
        \.key) == ["b"])
  }

  @Test("B10: a load that is cancelled in the middle ends, and the store goes on")
  func cancellation() async throws {
    let store = try file.open()
    try await fill(store, 200)
    let (reached, reach) = AsyncStream<Void>.makeStream()
    let cancelled = DispatchSemaphore(value: 0)
    let decoded = Mutex(0)
    Observed.decoding.withLock { decoding in
      decoding = { key in
        decoded.withLock { $0 += 1 }
        guard key == "50" else { return }
        reach.finish()
        cancelled.wait()
      }
    }
    let task = Task { try await store.documents(Observed.self).load("0")?.graph.count }
    for await _ in reached {}
    task.cancel()
    cancelled.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    Observed.decoding.withLock { $0 = nil }
    #expect(try await store.documents(Observed.self).load("0")?.graph.count == 200)
    #expect(decoded.withLock { $0 } == 51)
  }
}
