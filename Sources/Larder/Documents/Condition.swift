/// A condition on one property of documents. Conditions of the same set must all hold; of several sets one suffices.
///
/// ```swift
/// // Grown-ups called Ada, and everybody from Paris.
/// let conditions = [
///   Condition("age", .greaterThanOrEqual, 18), Condition("name", .equal, "Ada"), Condition(set: 1, "city", .equal, "Paris"),
/// ]
/// ```
public struct Condition: Sendable, Hashable {
  /// How a property is compared.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    case equal = "="
    /// Not equal. As in SQL, a document without the property, or with null, does not satisfy it.
    case notEqual = "<>"
    case lessThan = "<"
    case greaterThan = ">"
    case lessThanOrEqual = "<="
    case greaterThanOrEqual = ">="
    /// An array has the value as an element; a text has it as a part, whatever the case of its letters A to Z.
    case contains
    /// The property is one of the values of the array.
    case inList
  }

  /// The number of the set.
  public var set: Int
  /// The property's name; `key` is the document's key.
  public var property: String
  /// How the property is compared.
  public var `operator`: Operator
  /// What the property is compared with.
  public var value: DocumentValue

  /// A condition. A date is compared as the text that it is stored as.
  public init(set: Int = 0, _ property: String, _ operator: Operator, _ value: some DocumentValueConvertible) {
    self.set = set
    self.property = property
    self.operator = `operator`
    self.value = value.documentValue
  }
}

extension DocumentPredicate {
  /// What the conditions say together: all of a set, of one set at least. Without conditions, every document.
  public init(_ conditions: [Condition]) {
    var sets: [(number: Int, predicate: DocumentPredicate)] = []
    for condition in conditions {
      let predicate = DocumentPredicate(node: .comparison(condition.property, condition.operator, condition.value))
      if let position = sets.firstIndex(where: { $0.number == condition.set }) {
        sets[position].predicate = sets[position].predicate && predicate
      } else {
        sets.append((condition.set, predicate))
      }
    }
    guard let first = sets.first else {
      self.init(node: .everything)
      return
    }
    self = sets.dropFirst().reduce(first.predicate) { $0 || $1.predicate }
  }
}
