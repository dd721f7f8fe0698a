import Foundation
import Larder
import Testing

struct Player: Codable, Sendable {
  var key: String
  var name: String
  var score = 0
}

enum DocumentsArticle {
  struct Customer: StoredDocument {
    static let collection = "customers"
    var key: String
    var name: String
    var referredBy: DocumentReference<Customer>?
  }

  struct Product: StoredDocument {
    static let collection = "products"
    var key: String
    var name: String
  }

  struct Order: StoredDocument {
    struct Line: Codable, Sendable {
      var product: DocumentReference<Product>
      var count = 1
    }

    static let collection = "orders"
    var key: String
    var customer: DocumentReference<Customer>
    var lines: [Line] = []
  }

  final class Person {
    let key: String
    let name: String
    weak var referredBy: Person?

    init(key: String, name: String) {
      self.key = key
      self.name = name
    }

    var document: Customer { Customer(key: key, name: name, referredBy: referredBy.map { DocumentReference($0.key) }) }
  }
}

@Suite("Documentation: Documents")
@MainActor
struct DocumentsArticleTests {
  private typealias Customer = DocumentsArticle.Customer
  private typealias Product = DocumentsArticle.Product
  private typealias Order = DocumentsArticle.Order
  private typealias Person = DocumentsArticle.Person

  private let file: StoreFile
  private let store: Store

  init() throws {
    file = try StoreFile()
    store = try file.open()
  }

  @Test("documents are set, updated and found, in transactions too")
  func untyped() async throws {
    let people = store.documents("people")
    try await people.save("ada", ["name": "Ada", "age": 36, "languages": ["English", "French"]])
    try await people.update("ada", ["age": 37])
    let keys = try await people.keys(sort: "age desc") { $0.age > 30 && $0.languages.contains("French") }
    #expect(keys == ["ada"])
    try await store.write { db in
      let people = db.documents("people")
      try people.save("bo", json: #"{"name": "Bo", "address": {"city": "Graz"}}"#)
      try people.delete("ada")
    }
    #expect(try await people.keys() == ["bo"])
    #expect(try await people["bo"]?["address"]?["city"] == "Graz")
    try await people.save("cy", ["languages": ["German"]])
    let nearby = try await people.keys(sort: "address.city") {
      $0.address.city == "Graz" || $0.languages[0] == "German"
    }
    let same = try await people.keys(where: [
      Condition("address.city", .equal, "Graz"), Condition(set: 1, "languages[0]", .equal, "German"),
    ])
    try await people.index(on: "address.city")
    #expect(nearby == ["cy", "bo"] && same.sorted() == ["bo", "cy"])
  }

  @Test("values of a type are saved under their keys, found by conditions and by SQL, and watched")
  func typed() async throws {
    let players = store.documents("players", of: Player.self)
    try await players.save(Player(key: "p1", name: "Mia", score: 12))
    let mia = try await players.find("p1")
    #expect(mia?.score == 12)
    let conditions = [
      Condition("score", .greaterThan, 10), Condition("name", .equal, "Mia"),
      Condition(set: 1, "name", .contains, "Zo"),
    ]
    let found = try await players.fetch(where: conditions, sort: "name, score desc", limit: 20)
    for player in found { print(player.key, player.value.name) }
    try await players.index(on: "score")
    #expect(found.map(\.key) == ["p1"])
    let rows = try await store.sql("select name, score from players where score > \(10) order by name")
    let names = try await store.sql("select json_extract(_json, '$.name') as name from players where key = 'p1'")
    #expect(rows.map { $0["name"] } == ["Mia"] && names.map { $0["name"] } == ["Mia"])
    try await players.save("guest", Player(key: "guest", name: "Guest"), expires: .now + 3600)
    for try await players in players.live(sort: "name") {
      print(players.map(\.value.name))
      if players.count == 2 { break }
    }
  }

  @Test("documents that refer to one another are stored and loaded together, with a type and without")
  func references() async throws {
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    var graph = DocumentGraph()
    let ada = graph.insert(Customer(key: "ada", name: "Ada", referredBy: "bo"))
    let tea = graph.insert(Product(key: "tea", name: "Tea"))
    graph.insert(Order(key: "o1", customer: ada, lines: [Order.Line(product: tea, count: 2)]))
    try await store.save(graph)
    let ordersOfAda = try await store.documents(Order.self).fetch { $0.customer == ada }
    #expect(ordersOfAda.map(\.key) == ["o1"])
    do {
      guard
        let (order, found) = try await store.documents(Order.self).load("o1", following: "customer", "lines[*].product")
      else { return }
      print(found[order.customer]?.name ?? "a customer who is gone")
      for line in order.lines { print(line.count, found[line.product]?.name ?? "a product that is gone") }
      #expect(!found.isMissing(order.customer))
    }
    let customer = DocumentLink("customer", to: "customers")
    let product = DocumentLink("lines[*].product", in: "orders", to: "products")
    if let (order, graph) = try await store.documents("orders").load("o1", following: customer, product) {
      print(order["customer"]?.text ?? "", graph["products", "tea"]?["name"] ?? "gone")
    }
    #expect(printed == ["Ada", "2 Tea", "ada text(\"Tea\")"])
    try await store.write { db in
      guard var (order, graph) = try db.documents(Order.self).load("o1", following: "customer") else { return }
      graph[order.customer]?.name = "Ada Lovelace"
      order.lines.removeAll()
      graph[DocumentReference(order)] = order
      try db.save(graph)
    }
    #expect(try await store.documents(Customer.self).find("ada")?.name == "Ada Lovelace")
    #expect(try await store.documents(Order.self).find("o1")?.lines.isEmpty == true)
    #expect(try await store.documents(Order.self).load("o1")?.graph.missing.map(\.key) == ["bo"])
    let live = store.live { db in try db.documents(Order.self).load("o1") }
    var iterator = live.makeAsyncIterator()
    #expect(try await iterator.next()??.graph.count == 2)
  }

  @Test("objects in circles are kept as documents and connected anew")
  func circles() throws {
    let db = store.blocking
    let (bo, cy) = (Person(key: "bo", name: "Bo"), Person(key: "cy", name: "Cy"))
    (bo.referredBy, cy.referredBy) = (cy, bo)
    try db.save(DocumentGraph(bo.document, cy.document))

    var people: [DocumentReference<Customer>: Person] = [:]
    guard let graph = try db.documents(Customer.self).load("bo")?.graph else { return }
    let customers = graph.values(of: Customer.self)
    for customer in customers { people[DocumentReference(customer)] = Person(key: customer.key, name: customer.name) }
    for customer in customers {
      people[DocumentReference(customer)]?.referredBy = customer.referredBy.flatMap { people[$0] }
    }
    #expect(people["bo"]?.referredBy?.name == "Cy" && people["bo"]?.referredBy?.referredBy === people["bo"])
  }

  @Test("results load the documents of a query when they are asked for")
  func results() async throws {
    var printed: [String] = []
    func print(_ name: String) { printed.append(name) }
    let players = store.documents("players", of: Player.self)
    try await players.save([Player(key: "p1", name: "Mia", score: 12), Player(key: "p2", name: "Bo")])
    let results = try await players.results(sort: "name, score desc")
    for player in results.prefix(20) { print(player?.name ?? "gone") }
    let page = try await results.elements(in: 0..<results.count)
    #expect(printed == ["Bo", "Mia"] && page.map { $0?.key } == ["p2", "p1"])
  }
}
