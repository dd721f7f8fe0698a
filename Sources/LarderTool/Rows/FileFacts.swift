import Foundation
import Larder

/// What can be said of a file before its rows.
struct FileFacts {
  /// The size of the file in bytes.
  let size: Int
  /// The size of its write-ahead log.
  let log: Int
  /// The size of the folder with attachments, and the number of files in it; nil if there is none.
  let attachments: (size: Int, count: Int)?

  init(_ path: String) {
    size = Self.size(path)
    log = Self.size(path + "-wal")
    attachments = Self.folder(path + ".attachments")
  }

  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
  }

  private static func folder(_ path: String) -> (size: Int, count: Int)? {
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    guard FileManager.default.fileExists(atPath: path),
      let files = FileManager.default.enumerator(at: URL(filePath: path), includingPropertiesForKeys: keys)
    else { return nil }
    var (size, count) = (0, 0)
    while let file = files.nextObject() as? URL {
      guard let values = try? file.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
        let bytes = values.fileSize, bytes > 0
      else { continue }
      size += bytes
      count += 1
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
