import Crypto
import Foundation
import Larder

/// A digest of models.
enum ModelsDigest {
  /// Returns a digest of what replicas see of each other's models: the names of tables, keys and properties.
  static func exchange(of tables: [TrackedTable]) -> Data {
    digest(
      tables.filter { !$0.isCollection }.map { table in
        let properties = table.properties.map { "\($0.name) \($0.column.storageClass.rawValue)" }.sorted()
        return [[table.name], table.description.keys.map { "\($0.name) \($0.storageClass.rawValue)" }, properties]
      })
  }

  private static func digest(_ tables: [[[String]]]) -> Data {
    let lines = tables.map { table in
      table.map { part in part.map { "\($0.utf8.count):\($0)" }.joined() }.map { "\($0.utf8.count):\($0)" }.joined()
    }
    return Data(SHA256.hash(data: Data(lines.sorted().joined(separator: "\n").utf8)))
  }
}
