import Foundation
import Testing

@testable import Larder

@Model
private struct LiveOther: Hashable {
  var id: Int
  var text: String = ""
}

/// The model of a later version of the program, which renamed a property.
@Model("Entry")
private struct RenamedEntry: Hashable {
  var id: UUID = .v7()
  @Attribute(originalName: "number") var amount: Int
  var text: String = ""
}

@Suite("Live results", .timeLimit(.minutes(20)))
struct LiveResultsTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open(ProcessEntry.self, LiveOther.self)
  }

  @Test("B9: the first value comes at once, and one after each commit that matters")
  func follows() async throws {
    try await store.insert(ProcessEntry(number: 1))
    var results = store.live(ProcessEntry.where { $0.number > 0 }.sorted(by: \.number)).makeAsyncIterator()
    #expect(try await results.next()?.map(\.number) == [1])
    try await store.insert(ProcessEntry(number: 2))
    #expect(try await results.next()?.map(\.number) == [1, 2])
    try await store.updateAll(ProcessEntry.where { $0.number == 2 }) { $0.number.set(3) }
    #expect(try await results.next()?.map(\.number) == [1, 3])
    try await store.write { db in
      try db.deleteAll(ProcessEntry.where { $0.number == 1 })
      try db.insert(ProcessEntry(number: 4))
    }
    #expect(try await results.next()?.map(\.number) == [3, 4])
    try await store.sql("delete from Entry")
    #expect(try await results.next() == [])
  }

  @Test("B9: commits that come faster than they are taken are answered by one value, the newest")
  func burst() async throws {
    var results = store.live(ProcessEntry.all).makeAsyncIterator()
    #expect(try await results.next() == [])
    for number in 0..<200 { try await store.insert(ProcessEntry(number: number)) }
    #expect(try await results.next()?.count == 200)
    try await store.insert(ProcessEntry(number: 200))
    #expect(try await results.next()?.count == 201)
  }

  @Test("B9: the last state is never missed, whatever tasks write at the same time")
  func lastState() async throws {
    let store = store
    async let sizes = { () -> [Int] in
      var sizes: [Int] = []
      for try await rows in store.live(ProcessEntry.all) {
        sizes.append(rows.count)
        if rows.count == 400 { break }
      }
      return sizes
    }()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<50 { try await store.save(ProcessEntry(number: task * 50 + number)) } }
      }
      try await group.waitForAll()
    }
    let seen = try await sizes
    #expect(seen == seen.sorted())
    #expect(seen.last == 400)
  }

  @Test("B9: writes to other tables, and writes that are rolled back, wake nobody")
  func irrelevant() async throws {
    let store = store
    let (ready, start) = AsyncStream<Void>.makeStream()
    async let values = { () -> [[Int]] in
      var values: [[Int]] = []
      for try await rows in store.live(ProcessEntry.all) {
        values.append(rows.map(\.number))
        start.yield()
        if !rows.isEmpty { break }
      }
      return values
    }()
    for await _ in ready.prefix(1) {}
    for number in 0..<300 {
      try await store.insert(LiveOther(id: number))
      await Task.yield()
      _ = try? await store.write { db in
        try db.insert(ProcessEntry(number: number))
        throw CancellationError()
      }
    }
    try await store.insert(ProcessEntry(number: 7))
    #expect(try await values == [[], [7]])
  }

  @Test("B9: a cancelled consumer ends, and leaves nothing registered")
  func cancelled() async throws {
    for _ in 0..<1000 {
      let store = store
      let (ready, start) = AsyncStream<Void>.makeStream()
      let task = Task {
        for try await _ in store.live(ProcessEntry.all) { start.yield() }
        return true
      }
      for await _ in ready.prefix(1) {}
      task.cancel()
      #expect(try await task.value)
    }
    #expect(store.live.isEmpty)
  }

  @Test("B9: the commits of another process are seen")
  func otherProcess() async throws {
    let child = try ChildProcess("insert", file.path, 20)
    #expect(await child.line() == "ready")
    var results = store.live(ProcessEntry.all).makeAsyncIterator()
    #expect(try await results.next() == [])
    child.send("go")
    var count = 0
    while count < 20, let rows = try await results.next() {
      #expect(rows.count >= count)
      count = rows.count
    }
    #expect(count == 20)
    #expect(await child.line() == "done")
  }

  @Test("B9: the commits of another process arrive as changes, and in results")
  func otherProcessChanges() async throws {
    let child = try ChildProcess("edit", file.path)
    #expect(await child.line() == "ready")
    let entry = ProcessEntry(number: 0, text: "here")
    try await store.insert(entry)
    let results = try await store.results(ProcessEntry.all)
    #expect(results[0] == entry)
    var changes = store.changes(ProcessEntry.all.sorted(by: \.text)).makeAsyncIterator()
    #expect(try await changes.next()?.inserted == [0])
    let other = UUID()
    child.send("insert \(other.uuidString) there")
    let insertion = try #require(try await changes.next())
    #expect(insertion.inserted == [1])
    #expect(insertion.values.map(\.text) == ["here", "there"])
    child.send("set \(entry.id.uuidString) where")
    let update = try #require(try await changes.next())
    #expect(update.values.map(\.id) == [other, entry.id])
    #expect(update.moved.count == 1)
    #expect(update.updated == [1])
    #expect(results[0]?.text == "where")
    child.send("delete \(entry.id.uuidString)")
    #expect(try await changes.next()?.removed == [1])
    #expect(results[0] == nil)
  }

  @Test("B9: after a property was renamed, the commits of an older process that still runs are seen")
  func otherProcessAfterRename() async throws {
    let entry = ProcessEntry(number: 1, text: "old")
    try await store.insert(entry)
    var former = store.live { try $0.sql("select text from Entry").first?["text"]?.text }.makeAsyncIterator()
    #expect(try await former.next() == "old")
    let child = try ChildProcess("edit", file.path)
    #expect(await child.line() == "ready")
    child.send("set \(entry.id.uuidString) before")
    #expect(await child.line() == "done")
    while let text = try await former.next(), text != "before" {}
    let renamed = try file.open(RenamedEntry.self)
    var rows = renamed.live(RenamedEntry.all.sorted(by: \.amount)).makeAsyncIterator()
    #expect(try await rows.next() == [RenamedEntry(id: entry.id, amount: 1, text: "before")])
    child.send("set \(entry.id.uuidString) after")
    #expect(await child.line() == "done")
    #expect(try await rows.next() == [RenamedEntry(id: entry.id, amount: 1, text: "after")])
    // SQL that doesn't name the property goes on in the store that was opened before.
    while let text = try await former.next(), text != "after" {}
    try await renamed.updateAll(RenamedEntry.all) { $0.amount.set(2) }
    #expect(try await rows.next()?.map(\.amount) == [2])
    child.send("delete \(entry.id.uuidString)")
    #expect(await child.line() == "done")
    #expect(try await rows.next() == [])
  }
}
