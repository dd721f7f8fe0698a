import Foundation

/// A value inside a property that is stored as JSON: `$0.address["city"]`, `$0.lines[0]["price"]`.
///
/// The value is nil if the path doesn't exist. Invalid JSON throws when the query runs.
public struct JSONExpression: QueryExpressible {
  let base: SQLNode
  let path: [JSONPathStep]

  /// The value as the database extracts it from the JSON. Objects and arrays are JSON text.
  public var expression: QueryExpression<Value> {
    QueryExpression(
      node: node,
      coding: ColumnCoding(type: ColumnType(storageClass: .text, isOptional: true), encode: { $0 }, decode: { $0 }))
  }

  private var node: SQLNode { .json(base, path: path) }

  /// Returns the value as it is compared with a type: a decimal with all of its digits, and other values as SQLite
  /// extracts them.
  private func node(asDecimal isDecimal: Bool) -> SQLNode {
    isDecimal ? .function(.decimalJSON, [base] + path.map(\.node)) : node
  }

  private static func compare(
    _ op: ComparisonOperator, _ left: JSONExpression, _ right: (some StoredValue)?
  ) -> QueryExpression<Bool> {
    let isDecimal = right.map { $0 is Decimal } ?? false
    return .init(.compare(op, left.node(asDecimal: isDecimal), isDecimal ? .bound(right) : .jsonScalar(right)))
  }

  /// The member of an object.
  public subscript(key: String) -> JSONExpression { JSONExpression(base: base, path: path + [.key(key)]) }

  /// The element of an array. A negative position counts from the end.
  public subscript(index: Int) -> JSONExpression { JSONExpression(base: base, path: path + [.index(index)]) }

  /// Returns the value as a type, for functions, sorts and aggregates: `$0.address["city"].as(String.self)`.
  ///
  /// - Parameter type: The type of the value.
  /// - Returns: An expression of the value; nil if there is none.
  public func `as`<Output: StoredValue>(_ type: Output.Type) -> QueryExpression<Output?> {
    let isDecimal = type == Decimal.self
    return QueryExpression(
      node: isDecimal ? node(asDecimal: true) : node.stored(as: type) ?? node,
      coding: ColumnCoding(
        type: ColumnType(storageClass: Output.storageClass, isOptional: true, order: isDecimal ? .decimal : .stored),
        encode: { try $0?.storedValue() ?? .null },
        decode: { try Output?(storedValue: $0) }))
  }

  /// Returns whether the array at this path contains the element.
  ///
  /// - Parameter element: The element.
  /// - Returns: The condition.
  public func contains(_ element: some StoredValue) -> QueryExpression<Bool> {
    .init(.jsonContains(node, (element as? Decimal).map { SQLNode.jsonConstant($0) } ?? .jsonScalar(element)))
  }

  /// The number of elements of the array, or of members of the object, at this path; zero if the path doesn't exist.
  public var count: QueryExpression<Int> {
    QueryExpression(node: .jsonCount(node), coding: .stored)
  }

  /// Returns whether the value at the path equals the constant.
  public static func == (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    compare(.equal, left, right)
  }

  /// Returns whether the value at the path is null, or the path doesn't exist.
  public static func == (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.isNull(left.node))
  }

  /// Returns whether the value at the path doesn't equal the constant, or the path doesn't exist.
  public static func != (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    compare(.notEqual, left, right)
  }

  /// Returns whether the value at the path exists and isn't null.
  public static func != (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.not(.isNull(left.node)))
  }

  /// Returns whether the value at the path is less than the constant; false if the path doesn't exist.
  public static func < (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.less, left, right)
  }

  /// Returns whether the value at the path is less than or equal to the constant; false if the path doesn't exist.
  public static func <= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.lessOrEqual, left, right)
  }

  /// Returns whether the value at the path is greater than the constant; false if the path doesn't exist.
  public static func > (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.greater, left, right)
  }

  /// Returns whether the value at the path is greater than or equal to the constant; false if the path doesn't exist.
  public static func >= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    compare(.greaterOrEqual, left, right)
  }
}

extension SQLNode {
  /// Returns a value extracted from JSON in the form in which a column of the type stores it; nil if that is the same
  /// form, or there is none.
  func stored(as type: Any.Type) -> SQLNode? {
    let type = (type as? any AnyOptional.Type)?.wrappedType ?? type
    if type == UUID.self { return .function(.uuid, [self]) }
    if type == Data.self { return .function(.blob, [self]) }
    if type == Float.self { return .function(.float, [self]) }
    guard type == Decimal.self else { return nil }
    switch self {
    case .json(let base, let path): return .function(.decimalJSON, [base] + path.map(\.node))
    case .jsonElement: return .function(.decimalText, [self])
    default: return nil
    }
  }

  /// Returns an array whose elements are of the type, as ``jsonTest(_:_:element:_:)`` iterates over it.
  func array(of type: Any.Type) -> SQLNode {
    let type = (type as? any AnyOptional.Type)?.wrappedType ?? type
    return type == Decimal.self ? .function(.jsonDecimals, [self]) : self
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

  /// Returns a storable value as it appears in JSON: a UUID as text, a decimal as a number.
  static func jsonScalar(_ value: (some StoredValue)?) -> SQLNode {
    do {
      return .value(try value.map(JSONCoding.scalar) ?? .null)
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: nil))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be written as JSON: \(error)"))
    }
  }

  /// Returns an element of a JSON array in the form of JSON: numbers, texts and Booleans as they are, other values as
  /// JSON.
  static func jsonConstant<Element: Encodable>(_ value: Element) -> SQLNode {
    do {
      let json = try JSONCoding.encode([value])
      let isExact = value is Decimal || value is any BinaryInteger
      return .function(.jsonConstant, [.value(json), .value(.integer(isExact ? 1 : 0))])
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: nil))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be written as JSON: \(error)"))
    }
  }
}

extension Column where Output: Codable {
  /// The member of the property's JSON object.
  @_disfavoredOverload
  public subscript(key: String) -> JSONExpression { JSONExpression(base: expression.node, path: [.key(key)]) }

  /// The element of the property's JSON array. A negative position counts from the end.
  @_disfavoredOverload
  public subscript(index: Int) -> JSONExpression { JSONExpression(base: expression.node, path: [.index(index)]) }
}

extension Column where Output: Collection & Codable, Output.Element: Encodable {
  /// Returns whether the collection contains the element. Each row's JSON is searched.
  ///
  /// - Parameter element: The element.
  /// - Returns: The condition.
  public func contains(_ element: Output.Element) -> QueryExpression<Bool> {
    .init(.jsonContains(expression.node, .jsonConstant(element)))
  }
}

extension Column {
  /// Returns whether the collection isn't nil and contains the element. Each row's JSON is searched.
  ///
  /// - Parameter element: The element.
  /// - Returns: The condition.
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

  /// Whether the collection has no elements.
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

  /// Returns the number of elements of a column that stores a collection.
  func elementCount(_ type: Any.Type) -> SQLNode {
    guard let column = columnType, !column.isJSON else {
      // JSON objects only represent dictionaries with keys of text and integers; others are an array of alternating
      // keys and values.
      let isAlternating = (type as? any DictionaryValue.Type)?.isJSONObject == false
      return isAlternating ? .binary(.divide, .jsonCount(self), .value(.integer(2))) : .jsonCount(self)
    }
    return .function(column.storageClass == .blob ? .length : .count, [self])
  }
}
