import Foundation
import Testing

@testable import Larder

@Suite("Documents: a process that is killed while dates are brought over", .timeLimit(.minutes(20)))
struct DocumentDateKillTests {
  private static let former = "2026-07-04T12:00:00.250Z"
  private static let today = "2026-07-04T12:00:00.250000000Z"
  private static let collections = ["events", "others", "visits"]
  private static let count = 300

  /// A file of an earlier version, with more documents than a small cache takes.
  private func makeFormerFile() throws -> StoreFile {
    let file = try StoreFile()
    let store = try file.open().blocking
    for name in Self.collections {
      try store.documents(name).save(
        json: (0..<Self.count).map {
          (key: "\($0)", value: #"{"at":"\#(Self.former)","n":\#($0),"text":"\#(String(repeating: "x", count: 300))"}"#)
        })
    }
    try store.documents("events").index(on: "at")
    for column in ["dates", "times"] {
      try store.sql(SQL(raw: "alter table _larder_collections drop column \(column)"))
    }
    return file
  }

  /// How many documents have their date in the form of today, as the file is.
  private func updatedCount(_ file: StoreFile) throws -> Int {
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing)).blocking
    return try Self.collections.reduce(0) { sum, name in
      let rows = try store.sql(SQL(raw: "select json_extract(_json, '$.at') as at from \(name)"))
      #expect(
        rows.count == Self.count && rows.allSatisfy { $0["at"] == .text(Self.former) || $0["at"] == .text(Self.today) })
      return sum + rows.count { $0["at"] == .text(Self.today) }
    }
  }

  @Test(
    "B1: a process that is killed after any statement of opening leaves all dates as they were, or all brought over; the next opening ends it"
  )
  func killed() async throws {
    var states: [(statement: String, count: Int)] = []
    for number in 1... {
      let file = try makeFormerFile()
      let child = try ChildProcess("documents-open", file.path, number)
      let lines = await child.rest()
      let status = await child.status()
      if lines == ["opened"] {
        #expect(status == 0)
        break
      }
      #expect(status == SIGKILL)
      let count = try updatedCount(file)
      #expect(count == 0 || count == Self.collections.count * Self.count, "after \(lines)")
      states.append((lines.joined(separator: "\n"), count))
      let store = try file.open()
      #expect(try updatedCount(file) == Self.collections.count * Self.count, "after \(lines)")
      let noon = try #require(DocumentValue.text(Self.former).date)
      for name in Self.collections {
        #expect(try await store.documents(name).count { $0.at == noon } == Self.count)
        #expect(try await store.documents(name).count { $0.at == Self.today } == Self.count)
      }
      try await store.documents("events").save("new", ["at": DocumentValue(noon + 1)])
      #expect(try await store.documents("events").keys(sort: "at desc", limit: 1) == ["new"])
      #expect(try await store.sql("pragma integrity_check").first?.first?.value == "ok")
    }
    let updates = states.filter { $0.statement.contains("larder_updated_dates") }
    #expect(updates.count == Self.collections.count && updates.allSatisfy { $0.count == 0 })
    #expect(states.contains { $0.statement == "COMMIT" && $0.count > 0 })
  }

  @Test(
    "B1: a process that is killed at any moment of opening leaves all dates as they were, or all brought over",
    arguments: 0..<6)
  func killedAnywhere(_ part: Int) async throws {
    let file = try makeFormerFile()
    let child = try ChildProcess("documents-open", file.path, 0)
    // Where that is in the opening is up to the machine; what must hold does not depend on it.
    for _ in 0..<(part * 200_000) { await Task.yield() }
    child.kill()
    await child.status()
    let count = try updatedCount(file)
    #expect(count == 0 || count == Self.collections.count * Self.count)
    _ = try file.open()
    #expect(try updatedCount(file) == Self.collections.count * Self.count)
  }
}
