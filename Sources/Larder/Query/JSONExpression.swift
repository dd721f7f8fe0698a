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

  /// The value as it is compared with one of the type: a decimal has all of its digits, and everything else is as SQLite takes it out of JSON.
  private func node(asDecimal isDecimal: Bool) -> SQLNode {
    isDecimal ? .function("larder_decimal_json", [base] + path.map(\.node)) : node
  }

  private static func compare(_ op: ComparisonOperator, _ left: JSONExpression, _ right: (some StoredValue)?) -> QueryExpression<Bool> {
    let isDecimal = right.map { $0 is Decimal } ?? false
    return .init(.compare(op, left.node(asDecimal: isDecimal), isDecimal ? .bound(right) : .jsonScalar(right)))
  }

  /// The member of an object.
  public subscript(key: String) -> JSONExpression { JSONExpression(base: base, path: path + [.key(key)]) }

  /// The element of an array; a negative position counts from the end.
  public subscript(index: Int) -> JSONExpression { JSONExpression(base: base, path: path + [.index(index)]) }

  /// The value as a type, for functions, sorts and aggregates: `$0.address["city"].as(String.self)`.
  public func `as`<Output: StoredValue>(_ type: Output.Type) -> QueryExpression<Output?> {
    let isDecimal = type == Decimal.self
    return QueryExpression(
      node: isDecimal ? node(asDecimal: true) : node.stored(as: type) ?? node,
      coding: ColumnCoding(
        type: ColumnType(storageClass: Output.storageClass, isOptional: true, order: isDecimal ? .decimal : .stored),
        encode: { try $0?.storedValue() ?? .null },
        decode: { try Output?(storedValue: $0) }))
  }

  /// Whether the array at this place has the element.
  public func contains(_ element: some StoredValue) -> QueryExpression<Bool> {
    .init(.jsonContains(node, (element as? Decimal).map { SQLNode.jsonConstant($0) } ?? .jsonScalar(element)))
  }

  /// The number of elements of the array at this place, or of members of the object; zero where there is nothing.
  public var count: QueryExpression<Int> {
    QueryExpression(node: .jsonCount(node), coding: .stored)
  }

  /// Whether the place holds the value.
  public static func == (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    compare(.equal, left, right)
  }

  /// Whether the place holds null or is not there.
  public static func == (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.isNull(left.node))
  }

  /// Whether the place holds anything but the value; a place that is not there does.
  public static func != (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    compare(.notEqual, left, right)
  }

  /// Whether the place holds a value other than null.
  public static func != (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.not(.isNull(left.node)))
  }

  /// Whether the place holds less; false where it is not there.
  public static func < (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.less, left, right)
  }

  /// Whether the place holds less or the same; false where it is not there.
  public static func <= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.lessOrEqual, left, right)
  }

  /// Whether the place holds more; false where it is not there.
  public static func > (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.greater, left, right)
  }

  /// Whether the place holds more or the same; false where it is not there.
  public static func >= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.greaterOrEqual, left, right)
  }
}

extension SQLNode {
  /// What was taken out of JSON in the form in which a column of the type has it; nil where that is the same form, or no one's.
  func stored(as type: Any.Type) -> SQLNode? {
    let type = (type as? any AnyOptional.Type)?.wrappedType ?? type
    if type == UUID.self { return .function("larder_uuid", [self]) }
    if type == Data.self { return .function("larder_blob", [self]) }
    if type == Float.self { return .function("larder_float", [self]) }
    guard type == Decimal.self else { return nil }
    switch self {
    case .json(let base, let path): return .function("larder_decimal_json", [base] + path.map(\.node))
    case .jsonElement: return .function("larder_decimal_text", [self])
    default: return nil
    }
  }

  /// An array whose elements are of the type, as ``jsonTest(_:_:element:_:)`` goes through it.
  func array(of type: Any.Type) -> SQLNode {
    let type = (type as? any AnyOptional.Type)?.wrappedType ?? type
    return type == Decimal.self ? .function("larder_json_decimals", [self]) : self
  }

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
  static func jsonConstant<Element: Encodable>(_ value: Element) -> SQLNode {
    do {
      let json = try JSONCoding.encode([value])
      let isExact = value is Decimal || value is any BinaryInteger
      return .function("larder_json_constant", [.value(json), .value(.integer(isExact ? 1 : 0))])
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
protocol DictionaryValue {
  static var isJSONObject: Bool { get }
}

extension Dictionary: DictionaryValue {
  static var isJSONObject: Bool {
    Key.self is String.Type || Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type
  }
}
