import Foundation
import Larder
import Testing

@Suite("A disk without space", .timeLimit(.minutes(20)))
struct FullDiskTests {
  @Test(
    "on a full file system the save is refused, what was acknowledged is there, and the store goes on once there is space",
    .enabled(if: Surroundings.canMount, "this user cannot mount a small file system of its own"),
    arguments: [3000, 4200, 6100])
  func disk(kilobytes: Int) async throws {
    let file = try StoreFile()
    let child = try ChildProcess(
      "fill", file.path,
      within: Surroundings.smallDisk(at: file.folder.path(percentEncoded: false), kilobytes: kilobytes))
    #expect(await child.rest() == ["diskFull", "diskFull", "nothing is half done", "ok 1"])
    #expect(await child.status() == 0)
  }

  @Test("a store at its page limit refuses single, grouped and multiple saves, and keeps what was acknowledged")
  func pageLimit() async throws {
    let file = try StoreFile()
    let store = try file.open(ProcessEntry.self)
    let text = String(repeating: "x", count: 3000)
    try await store.write { db in _ = try db.sql("pragma max_page_count = 60") }
    let saved = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<120 {
        group.addTask {
          do {
            try await store.save(ProcessEntry(number: number, text: text))
            return true
          } catch let error as StoreError {
            #expect(error.code == .diskFull)
            return false
          } catch {
            Issue.record(error)
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect((1..<60).contains(saved))
    #expect(try await store.count(ProcessEntry.all) == saved)
    let several = await #expect(throws: StoreError.self) {
      try await store.insert((0..<60).map { ProcessEntry(number: $0, text: text) })
    }
    #expect(several?.code == .diskFull)
    let closure = await #expect(throws: StoreError.self) {
      try await store.write { db in
        try db.deleteAll(ProcessEntry.where { $0.number == 0 })
        for number in 0..<60 { try db.savepoint { try $0.insert(ProcessEntry(number: number, text: text)) } }
      }
    }
    #expect(closure?.code == .diskFull)
    #expect(try await store.count(ProcessEntry.all) == saved)
    try await store.write { db in _ = try db.sql("pragma max_page_count = 100000") }
    try await store.insert((0..<60).map { ProcessEntry(number: $0, text: text) })
    #expect(try await store.count(ProcessEntry.all) == saved + 60)
    #expect(try await store.sql("pragma integrity_check").first?.first?.value == "ok")
  }

  @Test("a file that may not grow is an error of the file system; the store still answers")
  func inputOutput() async throws {
    let file = try StoreFile()
    try file.write([ProcessEntry(number: 1)])
    let child = try ChildProcess("use", file.path, within: Surroundings.smallFiles(kilobytes: 500))
    let lines = await child.rest()
    #expect(lines == ["opened", "1 rows", "inputOutput", "1 rows", "opened", "1 rows", "inputOutput", "1 rows"])
  }
}
