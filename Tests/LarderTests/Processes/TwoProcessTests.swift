import Foundation
import Larder
import Testing

@Suite("Two processes on one file", .timeLimit(.minutes(20)))
struct TwoProcessTests {
  @Test("C5: of processes that start together exactly one runs what is to happen once")
  func once() async throws {
    for _ in 0..<5 {
      let file = try StoreFile()
      let answers = try await together("once", file)
      #expect(answers == ["false", "true"])
      #expect(try file.open(ProcessEntry.self).blocking.count(ProcessEntry.all) == 1)
    }
  }

  @Test("C5: processes that open and migrate the same new file together all succeed, and the migration runs once")
  func migrate() async throws {
    for _ in 0..<5 {
      let file = try StoreFile()
      #expect(try await together("migrate", file) == ["1", "1"])
      #expect(try file.sql("select name from _larder_migrations").count == 1)
    }
  }

  private func together(_ command: String, _ file: StoreFile) async throws -> [String] {
    let children = [try ChildProcess(command, file.path), try ChildProcess(command, file.path)]
    for child in children { #expect(await child.line() == "ready") }
    for child in children { child.send("go") }
    var answers: [String] = []
    for child in children {
      answers += await child.rest()
      #expect(await child.status() == 0)
    }
    return answers.sorted()
  }

  @Test("what a process was told is saved is there after it was killed", arguments: [1, 20, 150])
  func killed(lines: Int) async throws {
    let file = try StoreFile()
    let child = try ChildProcess("save", file.path)
    var keys: [String] = []
    while keys.count < lines, let key = await child.line() { keys.append(key) }
    child.kill()
    keys += await child.rest()
    #expect(await child.status() == SIGKILL)
    #expect(keys.count >= lines)
    let store = try file.open(ProcessEntry.self)
    for key in keys {
      let id = try #require(UUID(uuidString: key))
      #expect(try await store.find(ProcessEntry.self, id) != nil)
    }
    // At most the save that was under way is there beyond those.
    #expect(try await store.count(ProcessEntry.all) - keys.count <= 1)
    #expect(try await store.sql("pragma integrity_check").first?.first?.value == "ok")
  }

  @Test("no transaction of a process that was killed is there by half", arguments: [1, 60])
  func halves(lines: Int) async throws {
    let file = try StoreFile()
    let child = try ChildProcess("pairs", file.path)
    var acknowledged = 0
    while acknowledged < lines, await child.line() != nil { acknowledged += 1 }
    child.kill()
    acknowledged += await child.rest().count
    await child.status()
    let store = try file.open(ProcessEntry.self)
    let left = try await store.fetch(ProcessEntry.where { $0.text == "left" }.sorted(by: \.number)).map(\.number)
    let right = try await store.fetch(ProcessEntry.where { $0.text == "right" }.sorted(by: \.number)).map(\.number)
    #expect(left == right)
    #expect(left.count - acknowledged == 0 || left.count - acknowledged == 1)
  }

  @Test("processes write side by side, and every row is there")
  func sideBySide() async throws {
    let file = try StoreFile()
    let store = try file.open(ProcessEntry.self)
    let children = [try ChildProcess("insert", file.path, 200), try ChildProcess("insert", file.path, 200)]
    for child in children { #expect(await child.line() == "ready") }
    for child in children { child.send("go") }
    for number in 0..<200 { try await store.insert(ProcessEntry(number: number, text: "here")) }
    for child in children { #expect(await child.line() == "done") }
    let groups = try await store.fetch(ProcessEntry.all.grouped(by: \.text) { ($0.key, $0.count) })
    #expect(groups.count == 3)
    #expect(groups.allSatisfy { $0.1 == 200 })
  }
}
