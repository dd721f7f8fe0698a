import GRDBSQLite

/// A row as the database stores it: values by column name, in the order of the columns.
///
/// ```swift
/// for row in try await store.rows(Note.all) { print(row["title"] ?? .null) }
/// ```
public struct Row: Sendable, Hashable {
  /// The names of the columns, shared by all rows of a result.
  final class Layout: Sendable, Hashable {
    let names: [String]
    let positions: [String: Int]

    init(_ names: [String]) {
      self.names = names
      positions = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    static func == (left: Layout, right: Layout) -> Bool { left.names == right.names }
    func hash(into hasher: inout Hasher) { hasher.combine(names) }
  }

  let layout: Layout
  let storage: [Value]

  /// Throws `.invalidValue` for text that isn't valid UTF-8.
  init(layout: Layout, _ statement: OpaquePointer, model: String? = nil) throws {
    self.layout = layout
    storage = try layout.names.indices.map { position in
      do {
        return try StoredColumn(statement, Int32(position)).exactValue
      } catch let failure as ValueFailure {
        throw StoreError(failure, model: model, property: layout.names[position])
      }
    }
  }

  /// The value of the column, or nil if there is no such column. If several columns have the name, the first one
  /// counts.
  public subscript(name: String) -> Value? {
    layout.positions[name].map { storage[$0] }
  }

  /// Returns the value of a column as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - type: The type of the value.
  /// - Returns: The converted value.
  /// - Throws: ``StoreError`` if the row has no such column, or its value isn't of the type.
  public func get<Output: StoredValue>(_ name: String, as type: Output.Type = Output.self) throws -> Output {
    guard let value = self[name] else {
      throw StoreError(
        .notFound, property: name, "The row has no column \"\(name)\"; it has \(names.joined(separator: ", ")).")
    }
    do {
      return try Output(storedValue: value)
    } catch let failure as ValueFailure {
      throw StoreError(failure, model: nil, property: name)
    }
  }

  /// The names of the columns.
  public var names: [String] { layout.names }
}

extension Row: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { storage.count }

  public subscript(position: Int) -> (name: String, value: Value) {
    (layout.names[position], storage[position])
  }
}

extension Row: CustomStringConvertible {
  public var description: String {
    "[" + map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "]"
  }
}

extension Row {
  /// The values by column name. If several columns have a name, the first one counts.
  public var dictionary: [String: Value] {
    Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
