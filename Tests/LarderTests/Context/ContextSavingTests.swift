import Foundation
import Larder
import Testing

@Suite("Context: saving", .timeLimit(.minutes(20)))
struct ContextSavingTests {
  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open(ProcessEntry.self)
  }

  @Test("C3: 10,000 changes of each kind are saved, undone and saved again")
  func many() throws {
    let entries = (0..<10_000).map { ProcessEntry(number: $0) }
    let context = Context(store)
    context.insert(entries)
    try context.save()
    #expect(try store.blocking.count(ProcessEntry.all) == 10_000)
    #expect(try context.updateAll(ProcessEntry.all) { $0.number.increment(by: 1) } == 10_000)
    try context.save()
    #expect(try store.blocking.sum(ProcessEntry.all, of: \.number) == 50_005_000)
    #expect(context.delete(entries) == 10_000)
    try context.save()
    #expect(try store.blocking.count(ProcessEntry.all) == 0)
    context.undo()
    context.undo()
    try context.save()
    #expect(try store.blocking.sum(ProcessEntry.all, of: \.number) == 49_995_000)
    #expect(try Set(store.blocking.fetch(ProcessEntry.all)) == Set(entries))
  }

  @Test("C3: live results hear of a save, and not of what is pending")
  func live() async throws {
    var results = store.live(ProcessEntry.all.sorted(by: \.number)).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    try { () throws in
      let context = Context(store)
      context.insert([ProcessEntry(number: 1), ProcessEntry(number: 2)])
      try context.save()
    }()
    #expect(try await results.next()?.map(\.number) == [1, 2])
  }

  @Test("C3: another process that keeps the file locked makes the save wait, and then fail whole")
  func locked() async throws {
    let context = Context(
      try Store(
        at: file.path, for: ProcessEntry.self, configuration: Store.Configuration(busyTimeout: .milliseconds(20))))
    let child = try ChildProcess("hold", file.path)
    #expect(await child.line() == "held")
    let entry = ProcessEntry(number: 1)
    context.insert(entry)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(context.hasChanges)
    #expect(try context.find(ProcessEntry.self, entry.id) == entry)
    child.send("go")
    #expect(await child.line() == "released")
    try context.save()
    #expect(try store.blocking.count(ProcessEntry.all) == 2)
  }

  @Test("C3: a save inside of a write of the same store is an error, and nothing is lost")
  func insideWrite() throws {
    let context = Context(store)
    context.insert(ProcessEntry(number: 1))
    try store.blocking.write { _ in _ = #expect(throws: StoreError.self) { try context.save() } }
    try context.step { _ = #expect(throws: StoreError.self) { try context.save() } }
    try context.save()
    #expect(try store.blocking.count(ProcessEntry.all) == 1)
  }

  @Test("C3: a full file refuses the save whole, the context keeps its changes, and saves them once there is space")
  func full() throws {
    let file = try StoreFile()
    let store = try file.open(ProcessEntry.self)
    try store.blocking.insert(ProcessEntry(number: 0))
    let context = Context(store)
    let text = String(repeating: "x", count: 3000)
    context.insert((1...200).map { ProcessEntry(number: $0, text: text) })
    try context.deleteAll(ProcessEntry.where { $0.number == 0 })
    _ = try context.sql("pragma main.max_page_count = 60")
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .diskFull)
    #expect(try store.blocking.fetch(ProcessEntry.all).map(\.number) == [0])
    #expect(try context.count(ProcessEntry.all) == 200)
    _ = try context.sql("pragma main.max_page_count = 100000")
    try context.save()
    #expect(try store.blocking.count(ProcessEntry.all) == 200)
    #expect(!context.hasChanges)
  }

  @Test("C3: contexts of one store work side by side")
  func sideBySide() throws {
    let contexts = (0..<3).map { _ in Context(store) }
    for (number, context) in contexts.enumerated() { context.insert(ProcessEntry(number: number)) }
    for context in contexts { #expect(try context.count(ProcessEntry.all) == 1) }
    for context in contexts { try context.save() }
    for context in contexts { #expect(try context.count(ProcessEntry.all) == 3) }
  }

  @Test("C3: a context works on a file that Larder did not make, and keeps the form of its dates and identifiers")
  func existing() throws {
    let file = try StoreFile()
    let id = UUID()
    try file.sql(
      "create table Event (id text primary key, at text not null, title varchar(20) collate nocase default 'x', extra int default 7)",
      creating: true)
    try file.sql("insert into Event (id, at, title) values (\(id.uuidString), '2020-01-01T00:00:00Z', 'first')")
    let store = try Store(at: file.path, for: Event.self, schema: .existing)
    let context = Context(store)
    var event = try #require(try context.find(Event.self, id))
    event.title = "changed"
    context.update(event)
    let other = Event(at: Date(timeIntervalSinceReferenceDate: 0), title: "second")
    context.insert(other)
    #expect(context.refusals.isEmpty)
    #expect(try context.fetch(Event.all.sorted(by: \.at)).map(\.title) == ["second", "changed"])
    try context.save()
    #expect(
      try store.blocking.sql("select typeof(id) as i, typeof(at) as a, extra from Event where title = 'SECOND'").first?
        .dictionary
        == ["i": "text", "a": "text", "extra": 7])
    context.delete(other)
    context.undo()
    context.undo()
    context.undo()
    try context.save()
    #expect(try store.blocking.fetch(Event.all).map(\.title) == ["first"])
  }
}

@Model
private struct Event: Hashable {
  var id: UUID = UUID()
  var at: Date
  var title: String
}
