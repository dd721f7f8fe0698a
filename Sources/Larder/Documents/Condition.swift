/// A condition on one property of documents. Conditions of the same set must all hold; of several sets one suffices.
///
/// ```swift
/// // Grown-ups called Ada, and everybody from Paris.
/// let conditions = [
///   Condition("age", .greaterThanOrEqual, 18), Condition("name", .equal, "Ada"), Condition(set: 1, "address.city", .equal, "Paris"),
/// ]
/// ```
public struct Condition: Sendable, Hashable {
  /// How a property is compared. A value compares with values of its own kind alone: `5` is neither `"5"` nor `true`.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    case equal = "="
    /// Not equal. As in SQL, a document without the property, or with null, does not satisfy it.
    case notEqual = "<>"
    /// Less, which numbers, texts, dates and decimals are. Nothing is less than a Boolean, null, an array or an object.
    case lessThan = "<"
    case greaterThan = ">"
    case lessThanOrEqual = "<="
    case greaterThanOrEqual = ">="
    /// An array has the value as an element; a text has the text as a part, whatever the case of its letters A to Z.
    case contains
    /// The property equals one of the values of the array.
    case inList
  }

  /// The number of the set.
  public var set: Int
  /// The property's name, or the path to a value in it, as ``DocumentPath`` explains; `key` is the document's key.
  public var property: String
  /// How the property is compared.
  public var `operator`: Operator
  var operand: DocumentOperand

  /// What the property is compared with, as a document holds it.
  public var value: DocumentValue {
    get { operand.documentValue }
    set { operand = .value(newValue) }
  }

  /// A condition. A `Date` is compared by time and a `Decimal` by its size, with the texts that documents hold for them.
  public init(set: Int = 0, _ property: String, _ operator: Operator, _ value: some DocumentValueConvertible) {
    self.set = set
    self.property = property
    self.operator = `operator`
    operand = DocumentOperand(value, for: `operator`)
  }
}

extension DocumentPredicate {
  /// What the conditions say together: all of a set, of one set at least. Without conditions, every document.
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
