/// What rows of a batch have in common: the table, the size of the key, and the names of the properties.
struct RowShape {
  /// The most bytes of a name.
  static let longestName = 1 << 16

  let table: String
  let keyCount: Int
  /// Sorted.
  let properties: [String]

  init(table: String, keyCount: Int, properties: [String]) {
    self.table = table
    self.keyCount = keyCount
    self.properties = properties
  }

  init(of row: RowState) {
    self.init(table: row.table, keyCount: row.key.count, properties: row.properties.map(\.name))
  }

  /// The number of values.
  var width: Int { keyCount + properties.count }

  /// Whether a row has the shape.
  func fits(_ row: RowState) -> Bool {
    keyCount == row.key.count && properties.count == row.properties.count && ExactName(table) == ExactName(row.table)
      && zip(properties, row.properties).allSatisfy { ExactName($0) == ExactName($1.name) }
  }

  /// Throws if no row can have the shape.
  func check() throws(BatchError.Problem) {
    guard keyCount > 0 else { throw .init("the key of a table has no value") }
    guard zip(properties, properties.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .init("the properties of a table aren't sorted by name, or one is there twice")
    }
  }

  /// Throws if nothing can have the name.
  static func check(name: String) throws(BatchError.Problem) {
    guard (1...longestName).contains(name.utf8.count) else {
      throw .init("a name doesn't have 1 to \(longestName) bytes")
    }
  }
}

extension RowShape: Hashable {
  static func == (left: RowShape, right: RowShape) -> Bool {
    left.keyCount == right.keyCount && left.properties.count == right.properties.count
      && ExactName(left.table) == ExactName(right.table)
      && zip(left.properties, right.properties).allSatisfy { ExactName($0) == ExactName($1) }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ExactName(table))
    hasher.combine(keyCount)
    for property in properties { hasher.combine(ExactName(property)) }
  }
}
