import Foundation

/// Stored keys, each with its position in a list.
///
/// Integers and UUIDs of 16 bytes, which almost all keys are, have fast lookups, because there is one for every loaded
/// row. Integers in a narrow range, as in most tables, need no hashing.
struct StoredKeys {
  /// The positions of the keys, beginning with `lowest`; -1 for a number that isn't a key.
  private var places: [Int] = []
  private var lowest: Int64 = 0
  private var integers: [Int64: Int] = [:]
  private var identifiers: [UUID: Int] = [:]
  private var others: [ExactValue: Int] = [:]
  let count: Int

  /// - Parameter areUUIDs: Whether the keys are UUIDs, which a file may hold as bytes or as text. Other keys are equal
  ///   if they have the same bytes.
  init(_ keys: [Value], areUUIDs: Bool) {
    count = keys.count
    if let (lowest, span) = Self.denseSpan(of: keys) {
      self.lowest = lowest
      places = [Int](repeating: -1, count: span)
      for (position, key) in keys.enumerated() {
        if case .integer(let integer) = key { places[Int(integer - lowest)] = position }
      }
      return
    }
    integers.reserveCapacity(keys.count)
    for (position, key) in keys.enumerated() {
      if case .integer(let integer) = key {
        integers[integer] = position
      } else if areUUIDs, let identifier = try? UUID(storedValue: key) {
        identifiers[identifier] = position
      } else {
        others[ExactValue(key)] = position
      }
    }
  }

  /// Returns the lowest of integer keys, and the size of a table from it to the greatest; nil if that is much more than
  /// the number of keys, or a key isn't an integer.
  private static func denseSpan(of keys: [Value]) -> (lowest: Int64, span: Int)? {
    var lowest = Int64.max
    var greatest = Int64.min
    for key in keys {
      guard case .integer(let integer) = key else { return nil }
      lowest = min(lowest, integer)
      greatest = max(greatest, integer)
    }
    let (distance, isTooFar) = greatest.subtractingReportingOverflow(lowest)
    guard !keys.isEmpty, !isTooFar, distance < 4 * Int64(keys.count) + 1024 else { return nil }
    return (lowest, Int(distance) + 1)
  }

  /// Returns the position of a key in another format than Larder's; nil if it isn't in the list.
  func position(of column: StoredColumn, canonical: (Value) throws -> Value) -> Int? {
    guard let stored = try? column.exactValue, let key = try? canonical(stored) else { return nil }
    if case .integer(let integer) = key {
      guard !places.isEmpty else { return integers[integer] }
      let (offset, isTooFar) = integer.subtractingReportingOverflow(lowest)
      guard !isTooFar, offset >= 0, offset < places.count, places[Int(offset)] >= 0 else { return nil }
      return places[Int(offset)]
    }
    if !identifiers.isEmpty, let identifier = try? UUID(storedValue: key), let position = identifiers[identifier] {
      return position
    }
    return others[ExactValue(key)]
  }

  /// Returns the position of the key in the column; nil if it isn't in the list.
  func position(of column: StoredColumn) -> Int? {
    if let integer = column.integer {
      guard !places.isEmpty else { return integers[integer] }
      let (offset, isTooFar) = integer.subtractingReportingOverflow(lowest)
      guard !isTooFar, offset >= 0, offset < places.count, places[Int(offset)] >= 0 else { return nil }
      return places[Int(offset)]
    }
    if !identifiers.isEmpty, let identifier = try? UUID(from: column), let position = identifiers[identifier] {
      return position
    }
    return others.isEmpty ? nil : others[ExactValue(column.value)]
  }
}

/// A value that equals another one only if they are equal in the file: texts are compared byte by byte.
///
/// Swift considers "é" equal to "e" with a combining accent. In the file they differ, and can be keys of different
/// rows.
struct ExactValue: Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  static func == (left: ExactValue, right: ExactValue) -> Bool {
    guard case (.text(let one), .text(let other)) = (left.value, right.value) else { return left.value == right.value }
    return one.utf8.elementsEqual(other.utf8)
  }

  func hash(into hasher: inout Hasher) {
    guard case .text(let text) = value else { return value.hash(into: &hasher) }
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

/// The key of a row, which equals another one only if they identify the same row in the file.
struct RowKey<M: Model>: Hashable {
  let id: M.ID
  /// The stored form of the columns, if one of them contains text; nil if Swift and the file agree.
  private let exact: [ExactValue]?

  /// Whether a column of the key contains text.
  static var hasText: Bool { M.schema.keyIndexes.contains { M.schema.columns[$0].type.storageClass == .text } }

  init(of value: M) throws {
    id = value.id
    exact =
      Self.hasText
      ? try M.schema.keyIndexes.map { ExactValue(try M.schema.columns[$0].column.storedValue(in: value)) } : nil
  }

  /// - Parameter id: A key of one column.
  init(_ id: M.ID) throws {
    self.id = id
    exact = Self.hasText ? [ExactValue(try M.schema.storedKey(id))] : nil
  }

  static func == (left: RowKey, right: RowKey) -> Bool {
    left.exact == nil ? left.id == right.id : left.exact == right.exact
  }

  func hash(into hasher: inout Hasher) {
    if let exact { hasher.combine(exact) } else { hasher.combine(id) }
  }
}
