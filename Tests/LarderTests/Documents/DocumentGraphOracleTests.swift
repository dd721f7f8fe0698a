import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// Graphs of documents in plain Swift.
private struct Village {
  struct Node: Hashable {
    let collection: String
    let key: [UInt8]

    init(_ collection: String, _ key: String) {
      self.collection = collection
      self.key = Array(key.utf8)
    }
  }

  static let keys = [
    "", "a", "A", "b", "é", "e\u{301}", "\u{0}", "a\u{0}", "a\u{0}b", "'", "\"", "\\u0000", "[1]", "😀", "null", "1",
    "0", " ", "%", "key",
  ]
  static let paths = ["partner", "friends", "homes[*].cottage", "owner", "rooms[*]"]

  var villagers: [Villager] = []
  var cottages: [Cottage] = []

  init(_ generator: inout SplitMix64) {
    func key() -> String { Self.keys.randomElement(using: &generator) ?? "" }
    var seen: Set<Node> = []
    for _ in 0..<Int.random(in: 1...20, using: &generator) {
      var villager = Villager(key: key(), name: "\(Int.random(in: 0..<9, using: &generator))")
      if Bool.random(using: &generator) { villager.partner = DocumentReference(key()) }
      villager.friends = (0..<Int.random(in: 0...3, using: &generator)).map { _ in DocumentReference(key()) }
      for season in ["summer", "a.b", "x"] where Int.random(in: 0..<3, using: &generator) == 0 {
        villager.homes[season] = .init(cottage: DocumentReference(key()))
      }
      var cottage = Cottage(key: key())
      if Bool.random(using: &generator) { cottage.owner = DocumentReference(key()) }
      cottage.rooms = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        (0..<Int.random(in: 0...2, using: &generator)).map { _ in DocumentReference(key()) }
      }
      if seen.insert(Node("villagers", villager.key)).inserted { villagers.append(villager) }
      if seen.insert(Node("cottages", cottage.key)).inserted { cottages.append(cottage) }
    }
  }

  func references(of node: Node) -> [(path: String, target: Node)]? {
    if node.collection == "villagers" {
      guard let villager = villagers.first(where: { Array($0.key.utf8) == node.key }) else { return nil }
      return (villager.partner.map { [("partner", Node("villagers", $0.key))] } ?? [])
        + villager.friends.map { ("friends", Node("villagers", $0.key)) }
        + villager.homes.values.map { ("homes[*].cottage", Node("cottages", $0.cottage.key)) }
    }
    guard let cottage = cottages.first(where: { Array($0.key.utf8) == node.key }) else { return nil }
    return (cottage.owner.map { [("owner", Node("villagers", $0.key))] } ?? [])
      + cottage.rooms.joined().map { ("rooms[*]", Node("villagers", $0.key)) }
  }

  /// What is found and what is missing, by a walk in breadth.
  func walk(from roots: [Node], _ paths: Set<String>?, depth: Int?) -> (found: Set<Node>, missing: Set<Node>) {
    var (found, missing): (Set<Node>, Set<Node>) = ([], [])
    var level = Set(roots)
    var number = 0
    while !level.isEmpty {
      var next: Set<Node> = []
      for node in level {
        guard let references = references(of: node) else {
          missing.insert(node)
          continue
        }
        found.insert(node)
        for (path, target) in references where paths?.contains(path) ?? true { next.insert(target) }
      }
      if let depth, number >= depth { break }
      number += 1
      level = next.subtracting(found).subtracting(missing)
    }
    return (found, missing)
  }
}

@Suite("Documents: graphs as plain Swift walks them", .timeLimit(.minutes(20)))
struct DocumentGraphOracleTests {
  private static let seed = TestSeed.value

  @Test(
    "B2: any graph, with circles, shared, missing and strange keys, is loaded as plain Swift walks it, with types and without"
  )
  func random() throws {
    var generator = SplitMix64(seed: Self.seed)
    for round in 0..<300 {
      let store = try Store(inMemoryFor: DocumentShelf.self).blocking
      let village = Village(&generator)
      var graph = DocumentGraph()
      graph.insert(contentsOf: village.villagers)
      graph.insert(contentsOf: village.cottages)
      try store.save(graph)
      for _ in 0..<5 {
        let roots = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          Village.keys.randomElement(using: &generator) ?? ""
        }
        let paths =
          Bool.random(using: &generator) ? nil : Set(Village.paths.filter { _ in Bool.random(using: &generator) })
        let depth = Bool.random(using: &generator) ? nil : Int.random(in: 0...4, using: &generator)
        let expected = village.walk(from: roots.map { Village.Node("villagers", $0) }, paths, depth: depth)
        let comment: Comment = "seed \(Self.seed), round \(round): \(roots), \(paths ?? []), \(depth ?? -1)"
        // No link at all would follow everything.
        let links = paths.map { $0.map { DocumentLink($0) } + [DocumentLink("name", in: "nothing")] } ?? []
        let typed = try store.documents(Villager.self).load(roots, links, depth: depth, validatesProperties: false)
        checkTyped(typed, village, expected, comment)
        let targets = (paths ?? Set(Village.paths)).map {
          DocumentLink($0, to: $0.hasPrefix("homes") ? "Cottages" : "villagers")
        }
        let untyped = try store.documents("VILLAGERS").load(roots, targets, depth: depth, validatesProperties: false)
        checkUntyped(untyped, expected, comment)
      }
    }
    TestSeed.tried(3000, .queries, "graphs of documents")
  }

  private func checkTyped(
    _ found: (documents: [KeyedValue<Villager>], graph: DocumentGraph), _ village: Village,
    _ expected: (found: Set<Village.Node>, missing: Set<Village.Node>), _ comment: Comment
  ) {
    let graph = found.graph
    let villagers = graph.values(of: Villager.self)
    let cottages = graph.values(of: Cottage.self)
    let nodes = villagers.map { Village.Node("villagers", $0.key) } + cottages.map { Village.Node("cottages", $0.key) }
    #expect(Set(nodes) == expected.found && nodes.count == graph.count, comment)
    #expect(Set(graph.missing.map { Village.Node($0.collection, $0.key) }) == expected.missing, comment)
    #expect(graph.missing.count == expected.missing.count, comment)
    #expect(
      villagers.allSatisfy { villager in
        village.villagers.contains { $0 == villager && DocumentReference($0) == DocumentReference(villager) }
      },
      comment)
    #expect(cottages.allSatisfy { village.cottages.contains($0) && graph[DocumentReference($0)] == $0 }, comment)
    #expect(found.documents.allSatisfy { graph[DocumentReference($0.key)] == $0.value }, comment)
  }

  private func checkUntyped(
    _ found: (documents: [KeyedValue<Document>], graph: DocumentGraph),
    _ expected: (found: Set<Village.Node>, missing: Set<Village.Node>),
    _ comment: Comment
  ) {
    let graph = found.graph
    let nodes = ["villagers", "cottages"].flatMap { name in graph.documents(in: name).map { Village.Node(name, $0.key) }
    }
    #expect(Set(nodes) == expected.found && nodes.count == graph.count, comment)
    #expect(Set(graph.missing.map { Village.Node($0.collection.lowercased(), $0.key) }) == expected.missing, comment)
  }
}
