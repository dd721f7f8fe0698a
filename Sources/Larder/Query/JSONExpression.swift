import Foundation

/// A place inside a property that is kept as JSON: `$0.address["city"]`, `$0.lines[0]["price"]`.
///
/// Where the path leads nowhere the value is nil. JSON that is damaged throws when the query runs.
public struct JSONExpression: QueryExpressible {
  let base: SQLNode
  let path: [JSONPathStep]

  /// The value as the database extracts it from the JSON: objects and arrays are their text.
  public var expression: QueryExpression<Value> {
    QueryExpression(node: node, coding: ColumnCoding(type: ColumnType(storageClass: .text, isOptional: true), encode: { $0 }, decode: { $0 }))
  }

  private var node: SQLNode { .json(base, path: path) }

  /// The member of an object.
  public subscript(key: String) -> JSONExpression { JSONExpression(base: base, path: path + [.key(key)]) }

  /// The element of an array; a negative position counts from the end.
  public subscript(index: Int) -> JSONExpression { JSONExpression(base: base, path: path + [.index(index)]) }

  /// The value as a type, for functions, sorts and aggregates: `$0.address["city"].as(String.self)`.
  public func `as`<Output: StoredValue>(_ type: Output.Type) -> QueryExpression<Output?> {
    QueryExpression(
      node: node,
      coding: ColumnCoding(
        type: ColumnType(storageClass: Output.storageClass, isOptional: true), encode: { try $0.map(JSONCoding.scalar) ?? .null },
        decode: { try Output?(storedValue: $0) }))
  }

  /// Whether the array at this place has the element.
  public func contains(_ element: some StoredValue) -> QueryExpression<Bool> {
    .init(.jsonContains(node, .jsonScalar(element)))
  }

  /// The number of elements of the array at this place, or of members of the object; zero where there is nothing.
  public var count: QueryExpression<Int> {
    QueryExpression(node: .jsonCount(node), coding: .stored)
  }

  /// Whether the place holds the value.
  public static func == (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.node, .jsonScalar(right)))
  }

  /// Whether the place holds null or is not there.
  public static func == (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.isNull(left.node))
  }

  /// Whether the place holds anything but the value; a place that is not there does.
  public static func != (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.node, .jsonScalar(right)))
  }

  /// Whether the place holds a value other than null.
  public static func != (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.not(.isNull(left.node)))
  }

  /// Whether the place holds less; false where it is not there.
  public static func < (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.less, left.node, .jsonScalar(right)))
  }

  /// Whether the place holds less or the same; false where it is not there.
  public static func <= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.node, .jsonScalar(right)))
  }

  /// Whether the place holds more; false where it is not there.
  public static func > (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.node, .jsonScalar(right)))
  }

  /// Whether the place holds more or the same; false where it is not there.
  public static func >= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.node, .jsonScalar(right)))
  }
}

extension SQLNode {
  /// A value of any storable type as a parameter.
  static func bound(_ value: (some StoredValue)?) -> SQLNode {
    do {
      return .value(try value?.storedValue() ?? .null)
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: nil))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be stored: \(error)"))
    }
  }

  /// A storable value as it is found in JSON: an identifier as its text, a decimal as a number.
  static func jsonScalar(_ value: (some StoredValue)?) -> SQLNode {
    do {
      return .value(try value.map(JSONCoding.scalar) ?? .null)
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: nil))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be written as JSON: \(error)"))
    }
  }

  /// An element of a JSON array as JSON keeps it: numbers, text and booleans as they are, everything else as its own JSON.
  static func jsonConstant(_ value: some Encodable) -> SQLNode {
    do {
      let json = try JSONCoding.encode([value])
      guard case .text(let text) = json else { return .value(.null) }
      return .json(.value(.text(text)), path: [.index(0)])
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: nil))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be written as JSON: \(error)"))
    }
  }
}

extension Column where Output: Codable {
  /// The member of the object that the property is in its JSON.
  @_disfavoredOverload
  public subscript(key: String) -> JSONExpression { JSONExpression(base: expression.node, path: [.key(key)]) }

  /// The element of the array that the property is in its JSON; a negative position counts from the end.
  @_disfavoredOverload
  public subscript(index: Int) -> JSONExpression { JSONExpression(base: expression.node, path: [.index(index)]) }
}

extension Column where Output: Collection & Codable, Output.Element: Encodable {
  /// Whether the collection has the element. Every row's JSON is looked through.
  public func contains(_ element: Output.Element) -> QueryExpression<Bool> {
    .init(.jsonContains(expression.node, .jsonConstant(element)))
  }
}

extension Column {
  /// Whether there is a collection and it has the element. Every row's JSON is looked through.
  public func contains<Elements: Collection & Codable>(_ element: Elements.Element) -> QueryExpression<Bool>
  where Output == Elements?, Elements.Element: Encodable {
    .init(.jsonContains(expression.node, .jsonConstant(element)))
  }
}

extension Column where Output: Collection {
  /// The number of elements: of characters for text, of bytes for data, of members for a dictionary.
  public var count: QueryExpression<Int> {
    QueryExpression(node: expression.node.elementCount(Output.self), coding: .stored)
  }

  /// Whether there is no element.
  public var isEmpty: QueryExpression<Bool> {
    .init(.compare(.equal, expression.node.elementCount(Output.self), .value(.integer(0))))
  }
}

extension SQLNode {
  private var columnType: ColumnType? {
    switch self {
    case .column(let column), .related(_, let column, _): column.type
    case .condition(let branches, _): branches.first?.result.columnType
    default: nil
    }
  }

  /// The number of elements of a column that keeps a collection.
  func elementCount(_ type: Any.Type) -> SQLNode {
    guard let column = columnType, !column.isJSON else {
      // JSON has objects only for keys of text and whole numbers; any other dictionary is an array of keys and values in turn.
      let isAlternating = (type as? any DictionaryValue.Type)?.isJSONObject == false
      return isAlternating ? .binary(.divide, .jsonCount(self), .value(.integer(2))) : .jsonCount(self)
    }
    return .function(column.storageClass == .blob ? "length" : "larder_count", [self])
  }
}

/// A dictionary whose types are not known here.
private protocol DictionaryValue {
  static var isJSONObject: Bool { get }
}

extension Dictionary: DictionaryValue {
  fileprivate static var isJSONObject: Bool {
    Key.self is String.Type || Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type
  }
}
