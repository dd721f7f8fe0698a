import Foundation
import GRDBSQLite

/// What the figures were measured on.
struct Machine: Encodable {
  let processor: String
  let cores: Int
  let system: String
  let sqlite: String
  /// Running or waiting processes, mean of the last minute. With more than one besides this program, figures are
  /// disturbed.
  let load: Double

  init() {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let model = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
    processor = model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    cores = ProcessInfo.processInfo.activeProcessorCount
    system = ProcessInfo.processInfo.operatingSystemVersionString
    sqlite = String(cString: sqlite3_libversion())
    var load = 0.0
    self.load = getloadavg(&load, 1) == 1 ? load : .nan
  }
}
