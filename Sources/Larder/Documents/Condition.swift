/// A condition on documents: a comparison of one property, or several conditions joined by `&&`, `||` and `!`.
///
/// In a closure, the operators of ``DocumentProperty`` create conditions. There `==` and `!=` have Swift's meaning: a
/// missing property is null, equal to null, and not equal to any other value.
///
/// ```swift
/// let adults = try await people.fetch { $0.age >= 18 && $0.name == "Ada" }
/// ```
///
/// Conditions known only at run time can be passed as a list: all conditions of a set must hold, for at least one set.
///
/// ```swift
/// // Adults named Ada, and everyone from Paris.
/// let conditions = [
///   Condition("age", .greaterThanOrEqual, 18), Condition("name", .equal, "Ada"),
///   Condition(set: 1, "address.city", .equal, "Paris"),
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

  indirect enum Node: Sendable, Hashable {
    case everything
    case comparison(DocumentPath, Operator, DocumentOperand)
    /// Not equal to the value, or missing.
    case differs(DocumentPath, DocumentOperand)
    case and([Node])
    case or([Node])
    case not(Node)
    /// A condition that can't be evaluated, and why.
    case invalid(StoreError)
  }

  /// The number of the condition's set in a list of conditions; 0 for joined conditions.
  public let set: Int
  let node: Node
  /// The depth of nested conjunctions and disjunctions.
  private let depth: Int

  /// SQLite's parser stack holds 100 incomplete symbols.
  static let depthLimit = 40

  init(node: Node, set: Int = 0) {
    self.init(node, set: set, depth: 1)
  }

  private init(_ node: Node, set: Int = 0, depth: Int) {
    self.set = set
    guard depth <= Self.depthLimit else {
      let error = StoreError(
        .unsupported,
        "The condition has more than \(Self.depthLimit) levels of && in || and the other way round. Join those of one kind, or ask in several steps."
      )
      self.node = .invalid(error)
      self.depth = 1
      return
    }
    self.node = node
    self.depth = depth
  }

  /// Creates a condition on one property.
  ///
  /// - Parameters:
  ///   - set: The number of the condition's set in a list of conditions.
  ///   - property: The property's name, or the path to a value in it: see ``DocumentPath``. `key` is the document's
  ///     key.
  ///   - operator: How the property is compared.
  ///   - value: The value to compare with. A `Date` compares by time and a `Decimal` by size with the texts that
  ///     documents store for them.
  public init(set: Int = 0, _ property: String, _ operator: Operator, _ value: some DocumentValueConvertible) {
    do {
      let path = try DocumentPath(parsing: property)
      self.init(node: .comparison(path, `operator`, DocumentOperand(value, for: `operator`)), set: set)
    } catch {
      self.init(node: .invalid(error as? StoreError ?? StoreError(.invalidValue, "\(error)")), set: set)
    }
  }

  /// Creates a condition that holds if all conditions of at least one set hold; without any, for every document.
  ///
  /// - Parameter conditions: The conditions.
  public init(_ conditions: [Condition]) {
    var numbers: [Int] = []
    var sets: [Int: [Condition]] = [:]
    for condition in conditions {
      if sets[condition.set] == nil { numbers.append(condition.set) }
      sets[condition.set, default: []].append(condition)
    }
    guard !numbers.isEmpty else {
      self.init(node: .everything)
      return
    }
    self.init(any: numbers.compactMap { sets[$0].map { Condition(all: $0) } })
  }

  /// Creates a condition that holds if all of the conditions hold; without any, for every document.
  ///
  /// - Parameter conditions: The conditions.
  public init(all conditions: [Condition]) {
    self.init(joining: conditions, isConjunction: true)
  }

  /// Creates a condition that holds if one of the conditions holds; without any, for no document.
  ///
  /// - Parameter conditions: The conditions.
  public init(any conditions: [Condition]) {
    self.init(joining: conditions, isConjunction: false)
  }

  /// Joins conditions of the same kind in one list: SQL nests as deeply as the condition, and SQLite limits the depth.
  private init(joining conditions: [Condition], isConjunction: Bool) {
    guard conditions.count != 1 else {
      self.init(conditions[0].node, depth: conditions[0].depth)
      return
    }
    var nodes: [Node] = []
    nodes.reserveCapacity(conditions.count)
    var depth = 1
    for condition in conditions {
      switch condition.node {
      case .and(let inner) where isConjunction, .or(let inner) where !isConjunction:
        nodes += inner
        depth = max(depth, condition.depth)
      case let node:
        nodes.append(node)
        depth = max(depth, condition.depth + 1)
      }
    }
    self.init(isConjunction ? .and(nodes) : .or(nodes), depth: depth)
  }

  /// Returns a condition that holds if both conditions hold.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(all: [left, right])
  }

  /// Returns a condition that holds if at least one of the conditions holds.
  public static func || (left: Condition, right: Condition) -> Condition {
    Condition(any: [left, right])
  }

  /// Returns a condition of the same set that holds if the condition doesn't hold.
  public static prefix func ! (condition: Condition) -> Condition {
    // SQL negates the comparisons, so that negations add no level.
    if case .not(let node) = condition.node { return Condition(node, set: condition.set, depth: condition.depth) }
    return Condition(.not(condition.node), set: condition.set, depth: condition.depth)
  }
}
