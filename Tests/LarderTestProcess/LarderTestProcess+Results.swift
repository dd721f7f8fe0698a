import Foundation
import Larder

@Model
private struct Numbered {
  var id: Int
  var text: String = ""
}

extension LarderTestProcess {
  /// Makes so many rows, opens results of all of them, reads some, and says how many bytes of memory that took.
  func results(_ count: Int) async throws {
    let store = try Store(at: path, for: Numbered.self)
    try await store.sql(
      """
      with recursive n(i) as (select 1 union all select i + 1 from n where i < \(count))
      insert into \(Numbered.self) (id, text) select i, 'row ' || i from n
      """)
    let before = try Self.residentBytes()
    let results = try await store.results(Numbered.all.sorted(by: \.text))
    let found = [0, count / 2, count - 1].compactMap { results[$0]?.text }
    Self.say("\(results.count) rows, \(found.count) read")
    Self.say("\(try Self.residentBytes() - before)")
  }

  /// The memory that the process has in use. Source: proc(5), /proc/self/statm.
  static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The most memory that the process has had in use. Source: proc(5), VmHWM of /proc/self/status.
  static func peakBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
  }
}
