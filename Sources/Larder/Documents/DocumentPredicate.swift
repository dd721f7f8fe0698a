/// A condition on documents, as returned by the closure of
/// ``Documents/fetch(sort:limit:offset:validatesProperties:where:)``.
///
/// `==` and `!=` have Swift's meaning: a missing property is null, equal to null, and not equal to any other value.
public struct DocumentPredicate: Sendable, Hashable {
  indirect enum Node: Sendable, Hashable {
    case everything
    case comparison(DocumentPath, Condition.Operator, DocumentOperand)
    /// Not equal to the value, or missing.
    case differs(DocumentPath, DocumentOperand)
    case and([Node])
    case or([Node])
    case not(Node)
    /// A condition that can't be evaluated, and why.
    case invalid(StoreError)
  }

  let node: Node
  /// The depth of nested conjunctions and disjunctions.
  private let depth: Int

  /// SQLite's parser stack holds 100 incomplete symbols.
  static let depthLimit = 40

  init(node: Node) {
    self.init(node, depth: 1)
  }

  private init(_ node: Node, depth: Int) {
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

  /// Creates a predicate that holds if all of the predicates hold; without any, for every document.
  ///
  /// - Parameter predicates: The predicates.
  public init(all predicates: [DocumentPredicate]) {
    self.init(joining: predicates, isConjunction: true)
  }

  /// Creates a predicate that holds if one of the predicates holds; without any, for no document.
  ///
  /// - Parameter predicates: The predicates.
  public init(any predicates: [DocumentPredicate]) {
    self.init(joining: predicates, isConjunction: false)
  }

  /// Joins predicates of the same kind in one list: SQL nests as deeply as the condition, and SQLite limits the depth.
  private init(joining predicates: [DocumentPredicate], isConjunction: Bool) {
    guard predicates.count != 1 else {
      self = predicates[0]
      return
    }
    var nodes: [Node] = []
    nodes.reserveCapacity(predicates.count)
    var depth = 1
    for predicate in predicates {
      switch predicate.node {
      case .and(let inner) where isConjunction, .or(let inner) where !isConjunction:
        nodes += inner
        depth = max(depth, predicate.depth)
      case let node:
        nodes.append(node)
        depth = max(depth, predicate.depth + 1)
      }
    }
    self.init(isConjunction ? .and(nodes) : .or(nodes), depth: depth)
  }

  /// Returns a predicate that holds if both predicates hold.
  public static func && (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(all: [left, right])
  }

  /// Returns a predicate that holds if at least one of the predicates holds.
  public static func || (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(any: [left, right])
  }

  /// Returns a predicate that holds if the predicate doesn't hold.
  public static prefix func ! (predicate: DocumentPredicate) -> DocumentPredicate {
    // SQL negates the comparisons, so that negations add no level.
    if case .not(let node) = predicate.node { return DocumentPredicate(node, depth: predicate.depth) }
    return DocumentPredicate(.not(predicate.node), depth: predicate.depth)
  }
}
