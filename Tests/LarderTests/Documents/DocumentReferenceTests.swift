import Foundation
import Testing

@testable import Larder

@Suite("Documents: references", .timeLimit(.minutes(20)))
struct DocumentReferenceTests {
  private func makeStore() throws -> Store { try Store(inMemoryFor: DocumentShelf.self) }

  @Test("B2: a reference is stored as its key, which conditions, SQL, JSON and untyped documents see")
  func plainKey() async throws {
    let store = try makeStore()
    let mia = Villager(key: "mia", name: "Mia")
    let bo = Villager(
      key: "bo", partner: DocumentReference(mia), friends: ["cy", DocumentReference(mia)],
      homes: ["summer": .init(cottage: "mill")])
    let villagers = store.documents(Villager.self)
    try await villagers.save([mia, bo])
    #expect(try await store.documents("villagers").find("bo")?["partner"] == "mia")
    #expect(try await villagers.json("bo")?.contains(#""friends":["cy","mia"]"#) == true)
    #expect(try await store.sql("select partner from villagers where key = 'bo'").first?["partner"] == "mia")
    #expect(try await villagers.keys { $0.partner == DocumentReference(mia) } == ["bo"])
    #expect(
      try await villagers.keys { $0.friends.contains(DocumentReference(mia)) && $0.homes.summer.cottage == "mill" } == [
        "bo"
      ])
    #expect(try await villagers.keys { $0.partner.isIn([DocumentReference(mia), "x"]) } == ["bo"])
    #expect(try await villagers.keys(where: [Condition("partner", .equal, DocumentReference(mia))]) == ["bo"])
    #expect(try await villagers.find("bo") == bo)
    let text = try String(decoding: JSONEncoder().encode([DocumentReference(mia)]), as: UTF8.self)
    #expect(text == #"["mia"]"#)
    #expect(
      try JSONDecoder().decode([DocumentReference<Villager>].self, from: Data(text.utf8)) == [DocumentReference(mia)])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DocumentReference<Villager>].self, from: Data("[1]".utf8))
    }
  }

  @Test("B2: references are equal where the file takes their keys for equal")
  func equality() {
    let composed: DocumentReference<Villager> = "\u{E9}"
    let decomposed: DocumentReference<Villager> = "e\u{301}"
    #expect(composed != decomposed && composed.key == decomposed.key)
    #expect(Set([composed, decomposed, composed]).count == 2)
    var graph = DocumentGraph(Villager(key: "\u{E9}", name: "one"), Villager(key: "e\u{301}", name: "two"))
    #expect(graph.count == 2 && graph[composed]?.name == "one" && graph[decomposed]?.name == "two")
    graph[composed] = nil
    #expect(graph.count == 1 && graph.values(of: Villager.self).map(\.name) == ["two"])
    #expect(
      DocumentAddress("People", "a") == DocumentAddress("people", "a")
        && DocumentAddress("people", "A") != DocumentAddress("people", "a"))
  }

  @Test("B2: one call stores documents that refer to one another, and one loads them, in every kind of access")
  func everywhere() async throws {
    let file = try StoreFile()
    for store in [try file.open(), try makeStore()] {
      let mill = Cottage(key: "mill", owner: "mia", rooms: [["bo"], ["bo", "mia"]])
      let mia = Villager(key: "mia", partner: "bo", homes: ["winter": .init(cottage: DocumentReference(mill))])
      let bo = Villager(key: "bo", partner: "mia", friends: ["bo", "gone"])
      try await store.save(DocumentGraph(mill, mia, bo))

      @Sendable func check(_ found: (document: Cottage, graph: DocumentGraph)?) throws {
        let (cottage, graph) = try #require(found)
        #expect(cottage == mill && graph.count == 3 && !graph.isEmpty)
        #expect(graph[DocumentReference(mill)] == mill && graph["mia" as DocumentReference<Villager>] == mia)
        #expect(graph.values(of: Villager.self).map(\.key).sorted() == ["bo", "mia"])
        #expect(graph.isMissing("gone" as DocumentReference<Villager>) && graph.isMissing("Villagers", "gone"))
        #expect(graph.missing.map(\.key) == ["gone"] && !graph.isMissing("mia" as DocumentReference<Villager>))
        #expect(graph["villagers", "mia"] == nil)
      }
      try check(try await store.documents(Cottage.self).load("mill"))
      try check(try store.blocking.documents(Cottage.self).load("mill"))
      try check(try await store.read { try $0.documents(Cottage.self).load("mill") })
      try check(try store.blocking.read { try $0.documents(Cottage.self).load("mill") })
      try await store.write { db in
        try check(try db.documents(Cottage.self).load("mill"))
        try db.savepoint { try check(try $0.documents(Cottage.self).load("mill")) }
        try db.save(DocumentGraph(Villager(key: "gone", name: "back")))
        let graph = try db.documents(Cottage.self).load("mill")?.graph
        #expect(graph?.missing.isEmpty == true && graph?.count == 4)
        try db.documents(Villager.self).delete("gone")
      }
      try store.blocking.save(DocumentGraph(bo))
      try check(try Context(store).documents(Cottage.self).load("mill"))
      #expect(try await store.documents(Cottage.self).load("none") == nil)
      let (documents, graph) = try await store.documents(Villager.self).load(["mia", "none", "bo", "mia"], depth: 0)
      #expect(documents.map(\.key) == ["mia", "bo"] && graph.count == 2 && graph.missing.map(\.key) == ["none"])
    }
  }

  @Test("B2: documents without a type are found by collection and key, and links say where their texts lead")
  func untyped() async throws {
    let store = try makeStore()
    var graph = DocumentGraph()
    graph["orders", "o1"] = [
      "customer": "ada", "lines": [["product": "tea"], ["product": "milk"], ["note": "gift"]],
      "by": ["x": "ada", "y": "bo"],
    ]
    graph["customers", "ada"] = ["name": "Ada", "referredBy": "bo"]
    graph["customers", "bo"] = ["name": "Bo", "referredBy": "ada"]
    graph["products", "tea"] = ["name": "Tea"]
    #expect(graph.documents(in: "CUSTOMERS").map(\.key) == ["ada", "bo"])
    try await store.save(graph)
    let orders = store.documents("orders")
    let customer = DocumentLink("customer", to: "customers")
    let products = DocumentLink("lines[*].product", in: "Orders", to: "products")
    let found = try #require(try await orders.load("o1", following: customer, products)?.graph)
    #expect(
      found["customers", "ada"]?["name"] == "Ada" && found["customers", "bo"] == nil
        && !found.isMissing("customers", "bo"))
    #expect(found["products", "tea"] == ["name": "Tea"] && found.isMissing("products", "milk") && found.count == 3)
    let referrer = DocumentLink("referredBy", to: "customers")
    #expect(try await orders.load("o1", following: customer, referrer)?.graph["customers", "bo"]?["name"] == "Bo")
    #expect(try await orders.load("o1", following: customer, referrer, depth: 1)?.graph["customers", "bo"] == nil)
    #expect(
      try await orders.load("o1", following: DocumentLink("lines[-2].product", to: "products"))?.graph.missing.map(
        \.key) == ["milk"])
    #expect(try await orders.load("o1", following: DocumentLink("by[*]", to: "customers"))?.graph.count == 3)
    #expect(try await orders.load("o1", following: DocumentLink("by", to: "customers"))?.graph.count == 1)
    #expect(try await orders.load("o1")?.graph.count == 1)
  }

  @Test(
    "B2: a typed document's plain texts can be followed as well, and what is read without a type gets it when a reference says one"
  )
  func mixed() async throws {
    struct Parish: StoredDocument {
      static let collection = "parishes"
      var key: String
      var elder: String
      var eldest: DocumentReference<Villager>?
    }
    let store = try makeStore()
    let mia = Villager(key: "mia", name: "Mia", partner: "bo")
    try await store.save(
      DocumentGraph(Parish(key: "p", elder: "mia"), mia, Villager(key: "bo", name: "Bo", partner: "mia")))
    let parishes = store.documents(Parish.self)
    let elder = DocumentLink("elder", to: "villagers")
    #expect(try await parishes.load("p", following: elder)?.graph["villagers", "mia"]?["name"] == "Mia")
    try await parishes.save(Parish(key: "p", elder: "mia", eldest: "mia"))
    #expect(
      try await parishes.load("p", following: elder, "eldest")?.graph["mia" as DocumentReference<Villager>] == mia)
    try await parishes.save(Parish(key: "p", elder: "mia", eldest: "bo"))
    let graph = try #require(try await parishes.load("p", following: elder, "eldest", "partner")?.graph)
    #expect(graph.values(of: Villager.self).map(\.key).sorted() == ["bo", "mia"] && graph.count == 3)
  }

  @Test("B2: a key that is computed is the document's key")
  func computedKey() async throws {
    let store = try makeStore()
    let parent = GraphTicket(id: UUID())
    let child = GraphTicket(id: UUID(), parent: DocumentReference(parent))
    try await store.documents(GraphTicket.self).save(parent)
    try await store.save(DocumentGraph(child))
    let found = try #require(try await store.documents(GraphTicket.self).load(child.key))
    #expect(found.document == child && found.graph[DocumentReference(parent)] == parent)
  }

  @Test("B2: a class graph with circles is kept as documents, and comes back with the same circles")
  func classes() async throws {
    final class Person {
      let key: String
      var name: String
      var friends: [Person] = []
      weak var partner: Person?

      init(key: String, name: String) {
        self.key = key
        self.name = name
      }

      var document: Villager {
        Villager(
          key: key, name: name, partner: partner.map { DocumentReference($0.key) },
          friends: friends.map { DocumentReference($0.key) })
      }
    }
    let store = try makeStore()
    let (ada, bo) = (Person(key: "ada", name: "Ada"), Person(key: "bo", name: "Bo"))
    (ada.partner, bo.partner) = (bo, ada)
    ada.friends = [bo, ada]
    var graph = DocumentGraph()
    graph.insert(contentsOf: [ada, bo].map(\.document))
    try store.blocking.save(graph)
    ada.friends = []

    let loaded = try #require(try store.blocking.documents(Villager.self).load("ada")?.graph)
    var people: [DocumentReference<Villager>: Person] = [:]
    for villager in loaded.values(of: Villager.self) {
      people[DocumentReference(villager)] = Person(key: villager.key, name: villager.name)
    }
    for villager in loaded.values(of: Villager.self) {
      let person = people[DocumentReference(villager)]
      person?.partner = villager.partner.flatMap { people[$0] }
      person?.friends = villager.friends.compactMap { people[$0] }
    }
    let found = try #require(people["ada"])
    #expect(
      found.partner?.partner === found && found.friends.map(\.name) == ["Bo", "Ada"] && found.friends.last === found)
    found.friends = []
  }
}
