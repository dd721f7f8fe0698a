/// A condition on one property of documents. All conditions of a set must hold, for at least one set.
///
/// ```swift
/// // Adults named Ada, and everyone from Paris.
/// let conditions = [
///   Condition("age", .greaterThanOrEqual, 18), Condition("name", .equal, "Ada"), Condition(set: 1, "address.city", .equal, "Paris"),
/// ]
/// ```
public struct Condition: Sendable, Hashable {
  /// How a property is compared. Only values of the same kind are comparable: `5` is neither `"5"` nor `true`.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// Equal. A property equals null if it is null or missing.
    case equal = "="
    /// Not equal. As in SQL, a document that lacks the property, or has null, doesn't satisfy it.
    case notEqual = "<>"
    /// Less, for numbers, texts, dates and decimals. No value is less than a Boolean, null, an array or an object.
    case lessThan = "<"
    /// Greater, for the same kinds of values as `lessThan`.
    case greaterThan = ">"
    /// Less or equal, for the same kinds of values as `lessThan`.
    case lessThanOrEqual = "<="
    /// Greater or equal, for the same kinds of values as `lessThan`.
    case greaterThanOrEqual = ">="
    /// An array contains the value; a text contains the text, ignoring the case of A to Z.
    case contains
    /// The property equals one of the array's values.
    case inList
  }

  /// The number of the condition's set.
  public var set: Int
  /// The property's name, or the path to a value in it: see ``DocumentPath``. `key` is the document's key.
  public var property: String
  /// How the property is compared.
  public var `operator`: Operator
  var operand: DocumentOperand

  /// The value to compare with, as a document stores it.
  public var value: DocumentValue {
    get { operand.documentValue }
    set { operand = .value(newValue) }
  }

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - set: The number of the condition's set.
  ///   - property: The property's name, or the path to a value in it. `key` is the document's key.
  ///   - operator: How the property is compared.
  ///   - value: The value to compare with. A `Date` compares by time and a `Decimal` by size with the texts that
  ///     documents store for them.
  public init(set: Int = 0, _ property: String, _ operator: Operator, _ value: some DocumentValueConvertible) {
    self.set = set
    self.property = property
    self.operator = `operator`
    operand = DocumentOperand(value, for: `operator`)
  }
}

extension DocumentPredicate {
  /// Creates the predicate of the conditions: all conditions of at least one set hold. Without conditions, it holds for
  /// every document.
  ///
  /// - Parameter conditions: The conditions.
  public init(_ conditions: [Condition]) {
    var numbers: [Int] = []
    var sets: [Int: [DocumentPredicate]] = [:]
    for condition in conditions {
      if sets[condition.set] == nil { numbers.append(condition.set) }
      sets[condition.set, default: []].append(DocumentPredicate(condition))
    }
    guard !numbers.isEmpty else {
      self.init(node: .everything)
      return
    }
    self.init(any: numbers.compactMap { sets[$0].map { DocumentPredicate(all: $0) } })
  }

  private init(_ condition: Condition) {
    do {
      self.init(node: .comparison(try DocumentPath(parsing: condition.property), condition.operator, condition.operand))
    } catch {
      self.init(node: .invalid(error as? StoreError ?? StoreError(.invalidValue, "\(error)")))
    }
  }
}
