import Foundation

/// Keys as the database holds them, each with its place in a list.
///
/// Whole numbers and identifiers of 16 bytes, which almost all keys are, are looked up as such: it happens for every row that is loaded.
struct StoredKeys {
  private var integers: [Int64: Int] = [:]
  private var identifiers: [UUID: Int] = [:]
  private var others: [Value: Int] = [:]
  let count: Int

  init(_ keys: [Value]) {
    count = keys.count
    integers.reserveCapacity(keys.count)
    for (position, key) in keys.enumerated() {
      if case .integer(let integer) = key {
        integers[integer] = position
      } else if let identifier = try? UUID(storedValue: key) {
        identifiers[identifier] = position
      } else {
        others[key] = position
      }
    }
  }

  /// The place of the key that the column holds; nil where it is none of them.
  func position(of column: StoredColumn) -> Int? {
    if let integer = column.integer { return integers[integer] }
    if !identifiers.isEmpty, let identifier = try? UUID(from: column), let position = identifiers[identifier] { return position }
    return others.isEmpty ? nil : others[column.value]
  }
}
