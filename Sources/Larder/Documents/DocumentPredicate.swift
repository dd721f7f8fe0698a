/// What documents must satisfy, as the closure of ``Documents/fetch(sort:limit:offset:validatesProperties:where:)`` says it.
///
/// `==` and `!=` have Swift's meaning: a property that is not there is null, equal to null, and different from everything else.
public struct DocumentPredicate: Sendable, Hashable {
  indirect enum Node: Sendable, Hashable {
    case everything
    case comparison(DocumentPath, Condition.Operator, DocumentOperand)
    /// Different from the value, or not there.
    case differs(DocumentPath, DocumentOperand)
    case and([Node])
    case or([Node])
    case not(Node)
    /// What cannot be asked, and why.
    case invalid(StoreError)
  }

  let node: Node
  /// How many conjunctions and disjunctions are in one another.
  private let depth: Int

  /// SQLite's parser holds a hundred things that are not complete yet.
  static let depthLimit = 40

  init(node: Node) {
    self.init(node, depth: 1)
  }

  private init(_ node: Node, depth: Int) {
    guard depth <= Self.depthLimit else {
      let error = StoreError(
        .unsupported,
        "The condition has more than \(Self.depthLimit) levels of && in || and the other way round. Join those of one kind, or ask in several steps.")
      self.node = .invalid(error)
      self.depth = 1
      return
    }
    self.node = node
    self.depth = depth
  }

  /// What holds where all of the predicates do; every document without any.
  public init(all predicates: [DocumentPredicate]) {
    self.init(joining: predicates, isConjunction: true)
  }

  /// What holds where one of the predicates does; no document without any.
  public init(any predicates: [DocumentPredicate]) {
    self.init(joining: predicates, isConjunction: false)
  }

  /// Those of the same kind become one list: the text of SQL nests as deep as the condition, and SQLite takes some levels only.
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

  public static func && (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(all: [left, right])
  }

  public static func || (left: DocumentPredicate, right: DocumentPredicate) -> DocumentPredicate {
    DocumentPredicate(any: [left, right])
  }

  public static prefix func ! (predicate: DocumentPredicate) -> DocumentPredicate {
    // In SQL negations are at the comparisons, so that they add no level.
    if case .not(let node) = predicate.node { return DocumentPredicate(node, depth: predicate.depth) }
    return DocumentPredicate(.not(predicate.node), depth: predicate.depth)
  }
}
