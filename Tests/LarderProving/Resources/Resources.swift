import Foundation

/// What this process holds: open files, threads and memory.
struct ResourceUse: Sendable {
  var files: Int
  var threads: Int
  /// In bytes.
  var memory: Int

  /// Reads what the system says of this process; nil where it says nothing of the kind.
  static func current() -> ResourceUse? {
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
      let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count,
      let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = statistics.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return ResourceUse(files: files, threads: threads, memory: pages * Int(getpagesize()))
  }

  /// What is left once work in the background has ended: the least of what is seen in a second or so, as soon as no file is held.
  static func settled(files limit: Int) async throws -> ResourceUse? {
    guard var least = current() else { return nil }
    for _ in 0..<200 where least.files > limit {
      try await Task.sleep(for: .milliseconds(10))
      guard let next = current() else { return nil }
      least = ResourceUse(files: min(least.files, next.files), threads: min(least.threads, next.threads), memory: min(least.memory, next.memory))
    }
    return least
  }
}
