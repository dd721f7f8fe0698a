import Foundation

/// What this process holds: open files, threads and memory.
struct ResourceUse: Sendable {
  /// Without the timers and events of the runtime, which makes each kind once, when it is needed first.
  var files: Int
  var threads: Int
  /// In bytes.
  var memory: Int

  /// Reads what the system says of this process; nil where it says nothing of the kind.
  static func current() -> ResourceUse? {
    let descriptors = "/proc/self/fd"
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: descriptors),
      let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count,
      let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = statistics.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    let targets = files.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)") }
    let count = targets.count { $0?.hasPrefix("anon_inode:") != true }
    return ResourceUse(files: count, threads: threads, memory: pages * Int(getpagesize()))
  }

  /// What is left once work in the background has ended: the least of what is seen in a second or so, as soon as no
  /// file is held.
  static func settled(files limit: Int) async throws -> ResourceUse? {
    guard var least = current() else { return nil }
    for _ in 0..<200 where least.files > limit {
      try await Task.sleep(for: .milliseconds(10))
      guard let next = current() else { return nil }
      least = ResourceUse(
        files: min(least.files, next.files), threads: min(least.threads, next.threads),
        memory: min(least.memory, next.memory))
    }
    return least
  }
}
