internal import LarderArchive
internal import LarderRandom

/// A seeded graph of class instances, encoded in all ways that an encoder has: with circles, with children that many
/// levels share, and with long chains through `superEncoder`.
///
/// The graph knows what its archive must be, so that an encoding has a law: the archive of that value, or
/// `.limitExceeded`.
final class EncodedGraph {
  /// How a node encodes its children.
  enum Way: CaseIterable {
    case keyed, list, single, superForKey, superOfList, superOfNested
  }

  final class Node: Encodable {
    let number: Int
    let way: Way
    var children: [Node] = []

    init(_ number: Int, _ way: Way) {
      self.number = number
      self.way = way
    }

    func encode(to encoder: any Encoder) throws {
      switch way {
      case .single where children.count == 1:
        var container = encoder.singleValueContainer()
        try container.encode(children[0])
      case .keyed, .single:
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number, forKey: Key("number"))
        for (index, child) in children.enumerated() { try container.encode(child, forKey: Key("\(index)")) }
      case .list:
        var container = encoder.unkeyedContainer()
        try container.encode(number)
        for child in children { try container.encode(child) }
      case .superForKey:
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number, forKey: Key("number"))
        for (index, child) in children.enumerated() {
          try child.encode(to: container.superEncoder(forKey: Key("\(index)")))
        }
      case .superOfList:
        var container = encoder.unkeyedContainer()
        try container.encodeNil()
        for child in children { try child.encode(to: container.superEncoder()) }
      case .superOfNested:
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(String?.none, forKey: Key("none"))
        var nested = container.nestedUnkeyedContainer(forKey: Key("nested"))
        for child in children { try child.encode(to: nested.superEncoder()) }
      }
    }
  }

  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  let root: Node
  private let nodes: [Node]

  init(_ generator: inout SplitMix64) {
    let shape = Int.random(in: 0..<4, using: &generator)
    let count = shape == 0 ? Int.random(in: 1...3_000, using: &generator) : Int.random(in: 1...40, using: &generator)
    let only = Bool.random(using: &generator) ? Way.allCases.randomElement(using: &generator) : nil
    nodes = (0..<count).map { Node($0, only ?? Way.allCases.randomElement(using: &generator) ?? .keyed) }
    root = nodes[0]
    for (index, node) in nodes.enumerated() where index + 1 < count {
      switch shape {
      // A chain, and levels whose children are all the next level.
      case 0: node.children = [nodes[index + 1]]
      case 1:
        node.children = Array(repeating: nodes[index + 1], count: .random(in: 1...3, using: &generator))
      default:
        node.children = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          nodes[Int.random(in: index + 1..<min(count, index + 8), using: &generator)]
        }
      }
    }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let index = Int.random(in: 0..<count, using: &generator)
      nodes[index].children.append(nodes[Int.random(in: 0...index, using: &generator)])
    }
  }

  // A long chain, or a circle, is taken apart node by node.
  deinit { for node in nodes { node.children = [] } }

  // MARK: What its archive must be

  /// What an encoding within limits must come to.
  enum Outcome {
    /// The archive of this value.
    case value(ArchiveValue)
    /// `.limitExceeded`: there is a circle, or more than the limits allow.
    case refused
    /// Either: the graph is as near to a limit as the way of encoding decides.
    case either(ArchiveValue)
  }

  func outcome(_ limits: Archive.Limits) -> Outcome {
    // The array that contains the value, and the value.
    var cost = Cost(limits: limits, count: 2)
    guard let value = cost.value(of: root, depth: 1) else { return .refused }
    let isNear = cost.count + cost.encoders + 2 > limits.count || cost.mostCalls > 40
    return isNear ? .either(value) : .value(value)
  }

  /// Counts what the writer counts.
  private struct Cost {
    let limits: Archive.Limits
    var count: Int
    /// The number of encoders that were handed out.
    var encoders = 0
    /// The most calls of `encode(to:)` within each other, for which a small stack may have no room.
    var mostCalls = 0
    var open: [ObjectIdentifier] = []

    init(limits: Archive.Limits, count: Int) {
      self.limits = limits
      self.count = count
    }

    /// Returns nil for what must be refused.
    mutating func value(of node: Node, depth: Int) -> ArchiveValue? {
      var node = node
      let outer = open.count
      defer { open.removeSubrange(outer...) }
      // A node that is encoded as its child takes no level of this function: there may be thousands.
      while true {
        guard !open.contains(ObjectIdentifier(node)), count <= limits.count else { return nil }
        open.append(ObjectIdentifier(node))
        encoders += 2
        guard node.way == .single, node.children.count == 1 else { break }
        node = node.children[0]
      }
      mostCalls = max(mostCalls, open.count)
      // More encoders within each other than any depth allows.
      guard open.count <= 4 * limits.depth + 110 else { return nil }
      let isNested = node.way == .superOfNested
      guard depth + (isNested ? 1 : 0) < limits.depth else { return nil }
      let isList = node.way == .list || node.way == .superOfList
      count += isList ? 1 : 2
      var values: [ArchiveValue] = []
      for child in node.children {
        count += isList || isNested ? 1 : 2
        guard count <= limits.count, let value = value(of: child, depth: depth + (isNested ? 2 : 1)) else { return nil }
        values.append(value)
      }
      guard count <= limits.count else { return nil }
      let number = ArchiveValue.integer(Int64(node.number))
      switch node.way {
      case .list: return .array([number] + values)
      case .superOfList: return .array([.null] + values)
      case .superOfNested: return ["nested": .array(values)]
      case .keyed, .single, .superForKey:
        var entries = ["number": number]
        for (index, value) in values.enumerated() { entries["\(index)"] = value }
        return .dictionary(entries)
      }
    }
  }
}
