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
    QueryExpression(node: node, coding: .stored)
  }

  /// Whether the array at this place has the element.
  public func contains(_ element: some StoredValue) -> QueryExpression<Bool> {
    .init(.jsonContains(node, .bound(element)))
  }

  /// Whether the place holds the value.
  public static func == (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.node, .bound(right)))
  }

  /// Whether the place holds null or is not there.
  public static func == (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.isNull(left.node))
  }

  /// Whether the place holds anything but the value; a place that is not there does.
  public static func != (left: JSONExpression, right: (some StoredValue)?) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.node, .bound(right)))
  }

  /// Whether the place holds a value other than null.
  public static func != (left: JSONExpression, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    .init(.not(.isNull(left.node)))
  }

  /// Whether the place holds less; false where it is not there.
  public static func < (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.less, left.node, .bound(right)))
  }

  /// Whether the place holds less or the same; false where it is not there.
  public static func <= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.lessOrEqual, left.node, .bound(right)))
  }

  /// Whether the place holds more; false where it is not there.
  public static func > (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.greater, left.node, .bound(right)))
  }

  /// Whether the place holds more or the same; false where it is not there.
  public static func >= (left: JSONExpression, right: some StoredValue) -> QueryExpression<Bool> {
    .init(.compare(.greaterOrEqual, left.node, .bound(right)))
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

  /// An element of a JSON array as JSON keeps it: numbers, text and booleans as they are, everything else as its own JSON.
  static func jsonElement(_ value: some Encodable) -> SQLNode {
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
    .init(.jsonContains(expression.node, .jsonElement(element)))
  }

  /// The number of elements.
  public var count: QueryExpression<Int> {
    QueryExpression(node: .jsonCount(expression.node), coding: .stored)
  }

  /// Whether there is no element.
  public var isEmpty: QueryExpression<Bool> {
    .init(.compare(.equal, .jsonCount(expression.node), .value(.integer(0))))
  }
}
