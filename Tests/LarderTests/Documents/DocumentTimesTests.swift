import Foundation
import Testing

@testable import Larder

@Suite("Documents: times that the collection keeps", .timeLimit(.minutes(20)))
struct DocumentTimesTests {
  private struct Entry: Codable, Equatable, Sendable {
    var name: String
    var addedAt: Date?
    var updatedAt: Date?
  }

  @Test(
    "B1: a collection keeps when documents were added and updated, and conditions, sort orders, types and SQL have the times"
  )
  func times() async throws {
    let clock = TestClock()
    let file = try StoreFile()
    let store = try Store(at: file.path, for: [], configuration: clock.configuration)
    let entries = store.documents("entries", of: Entry.self)
    try await entries.save("old", Entry(name: "O"))
    try await entries.keepTimes()
    let start = clock.now
    try await entries.save("a", Entry(name: "A", addedAt: start - 100, updatedAt: start - 100))
    clock.now += 10
    try await store.documents("entries").save("b", json: #"{"name":"B","addedAt":"never"}"#)
    try await entries.save("a", Entry(name: "AA"))
    clock.now += 10
    try await store.documents("entries").update("b", ["name": "BB", "addedAt": "never"])
    #expect(try await entries.find("a") == Entry(name: "AA", addedAt: start, updatedAt: start + 10))
    #expect(try await entries.find("b") == Entry(name: "BB", addedAt: start + 10, updatedAt: start + 20))
    #expect(try await entries.find("old") == Entry(name: "O"))
    #expect(try await entries.keys(sort: "updatedAt desc") { $0.addedAt < start + 15 } == ["b", "a"])
    #expect(try await entries.keys { $0.updatedAt > start + 15 } == ["b"])
    #expect(
      try await store.sql("select updatedAt from entries where key = 'b'").first?["updatedAt"]?.text?.hasSuffix("Z")
        == true)
    try await entries.save("old", Entry(name: "OO"))
    #expect(try await entries.find("old") == Entry(name: "OO", updatedAt: start + 20))
    // Another store of the file keeps them too, as do transactions, and a batch that has a key twice.
    let other = try Store(at: file.path, for: [], configuration: clock.configuration)
    let batch: [(key: String, value: Document)] = [(key: "c", value: [:]), (key: "c", value: ["name": "C"])]
    try await other.write { try $0.documents("entries").save(keyed: batch) }
    #expect(try await entries.find("c") == Entry(name: "C", addedAt: start + 20, updatedAt: start + 20))
    try await entries.delete("c")
    clock.now += 10
    try await other.documents("entries").save("c", ["name": "C"])
    #expect(try await entries.find("c")?.addedAt == start + 30)
    try await other.documents("entries").keepTimes(false)
    try await entries.save("a", Entry(name: "A"))
    #expect(try await entries.find("a") == Entry(name: "A"))
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await store.write { db in
        try db.documents("entries").keepTimes()
        throw Stop()
      }
    }
    try await entries.save("a", Entry(name: "A"))
    #expect(try await entries.find("a") == Entry(name: "A"))
  }
}
