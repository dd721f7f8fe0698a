import Foundation
import Larder

extension LarderTestProcess {
  /// Says how opening to read, reading, writing and checking end, and in the end the message of an error.
  func read() async {
    do {
      let store = try Store(at: path, for: Entry.self, configuration: Store.Configuration(access: .readOnly))
      Self.say("opened")
      Self.say("\(try await store.count(Entry.all)) rows")
      do {
        try await store.insert(Entry(number: 2))
      } catch let error as StoreError {
        Self.say("\(error.code)")
      }
      Self.say(try await store.check().isHealthy ? "healthy" : "ill")
    } catch let error as StoreError {
      Self.say("\(error.code)")
      Self.say(error.message)
    } catch {
      Self.say("\(type(of: error))")
    }
  }

  /// Executes the SQL of each line that it is given, until one that says `end`, and says whether it was refused.
  func executeLines() throws {
    let store = try Store(at: path, for: [], configuration: Store.Configuration(schema: .existing))
    Self.say("ready")
    while let line = readLine(), line != "end" {
      do {
        try store.blocking.write { _ = try $0.sql(SQL(raw: line)) }
        Self.say("done")
      } catch is StoreError {
        Self.say("refused")
      }
    }
  }

  /// Fills a file, checks it, and says by how many kilobytes that raised the most memory that the process ever had.
  func check(_ count: Int) async throws {
    let store = try Store(at: path, for: Entry.self)
    let text = String(repeating: "word ", count: 100)
    for start in stride(from: 0, to: count, by: 1000) {
      try await store.insert((start..<min(start + 1000, count)).map { Entry(number: $0, text: text) })
    }
    let before = Self.peakMemory
    Self.say(try await store.check().isHealthy ? "healthy" : "ill")
    Self.say("\(Self.peakMemory - before)")
  }

  /// In kilobytes; zero where the system does not tell.
  private static var peakMemory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
