import Foundation
import Larder

/// What can be said of a file before its rows.
struct FileFacts {
  /// The size of the file in bytes.
  let size: Int
  /// The size of its write-ahead log.
  let log: Int
  /// The size and the number of the attachments; nil if there is no folder of them.
  let attachments: (size: Int, count: Int)?

  init(_ path: String) {
    let path = path.realPath
    size = Self.size(path)
    log = Self.size(path + "-wal")
    attachments = Self.folder(path + ".attachments")
  }

  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
  }

  /// An attachment is in a file that is named by its digest: `a/bcdef…`. The others are locks and unfinished parts.
  private static func folder(_ path: String) -> (size: Int, count: Int)? {
    guard let parts = try? FileManager.default.contentsOfDirectory(atPath: path) else { return nil }
    var (size, count) = (0, 0)
    for part in parts where part.count == 1 {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(part)")) ?? []
      where Attachment.isDigest(part + name) {
        size += Self.size("\(path)/\(part)/\(name)")
        count += 1
      }
    }
    return (size, count)
  }

  /// Returns a size for people: `1.2 MB`.
  static func text(_ bytes: Int) -> String {
    var (value, unit) = (Double(bytes), 0)
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return unit == 0 ? "\(bytes) bytes" : "\((value * 10).rounded() / 10) \(units[unit])"
  }
}
