import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("Writing without the Swift type")
struct TableWriteTests {
  @Test("a row is inserted, changed and deleted, and all rules of the file hold")
  func rules() async throws {
    let store = try makeBookkeeping()
    let key = try await store.insert(
      ["id": 7, "amount": "2.50", "day": "2026-11-30", "wallet": 3], into: "Cost")
    #expect(key == [7])
    let cost = try #require(try await store.find(Cost.self, 7))
    #expect(cost.amount == Decimal(string: "2.5"))
    #expect(cost.day == Date(timeIntervalSinceReferenceDate: 817_689_600))
    #expect(try await store.find(Wallet.self, 3)?.balance == Decimal(string: "2.5"))
    try await store.update(["amount": "4", "weight": .null], ofRowWith: [7], in: "Cost")
    #expect(try await store.find(Wallet.self, 3)?.balance == 4)
    #expect(try await store.deleteRow(with: [3], from: "Wallet"))
    #expect(try await store.find(Cost.self, 7) == nil)
    #expect(try await !store.deleteRow(with: [3], from: "Wallet"))
    #expect(try await store.deleteAll(TableQuery("Cost").where("amount > 5")) == 3)
    #expect(try await store.count(Cost.all) == 3)
  }

  @Test("a key that is missing is made anew if it is an integer or a UUID")
  func keys() async throws {
    let store = try makeBookkeeping()
    #expect(try await store.insert(["name": "Cleo", "address.city": "Rome"], into: "Person") == [3])
    #expect(try await store.insert(["id": .null, "name": "Dora", "address.city": "Rome"], into: "Person") == [4])
    let key = try await store.insert(["name": "Fun"], into: "Category")
    #expect(try await store.row(with: key, in: "Category")?["name"] == "Fun")
    let error = await #expect(throws: StoreError.self) { try await store.insert([:], into: "Tag") }
    #expect(error?.code == .invalidValue && error?.property == "id")
  }

  @Test(
    "what a property cannot hold is refused with its name, and nothing is written",
    arguments: [
      (["amount": "ten"], "amount", StoreError.Code.invalidValue), (["amount": .null], "amount", .invalidValue),
      (["day": "yesterday"], "day", .invalidValue), (["category": "x"], "category", .invalidValue),
      (["weight": .real(.nan)], "weight", .invalidValue), (["amuont": 3], "amuont", .notFound),
      (["id": 9], "id", .unsupported), (["wallet": "one"], "wallet", .invalidValue),
    ] as [([String: Value], String, StoreError.Code)])
  func refusals(_ values: [String: Value], _ property: String, _ code: StoreError.Code) async throws {
    let store = try makeBookkeeping()
    let error = await #expect(throws: StoreError.self) { try await store.update(values, ofRowWith: [1], in: "Cost") }
    #expect(error?.code == code)
    #expect(error?.property == property)
    #expect(try await store.find(Cost.self, 1) == Cost.samples[0])
  }

  @Test("references, unique values, derived values and missing values are refused as in the typed verbs")
  func constraints() async throws {
    let store = try makeBookkeeping()
    func code(_ body: () async throws -> Void) async -> StoreError.Code? {
      do {
        try await body()
        return nil
      } catch {
        return (error as? StoreError)?.code
      }
    }
    #expect(await code { try await store.update(["wallet": 99], ofRowWith: [1], in: "Cost") } == .referenced)
    #expect(await code { try await store.insert(["name": "Food"], into: "Category") } == .duplicate)
    #expect(await code { try await store.update(["balance": 5], ofRowWith: [1], in: "Wallet") } == .unsupported)
    #expect(await code { try await store.insert(["id": 8], into: "Cost") } == .invalidValue)
    #expect(await code { try await store.update(["amount": 1], ofRowWith: [99], in: "Cost") } == .notFound)
    #expect(await code { try await store.update(["amount": 1], ofRowWith: [], in: "Cost") } == .invalidValue)
  }

  @Test("a context keeps what is written without types, undoes it, and saves it")
  func context() throws {
    let store = try makeBookkeeping()
    let context = Context(store)
    try context.update(["amount": "20"], ofRowWith: [1], in: "Cost")
    try context.deleteRow(with: [2], from: "Wallet")
    #expect(try context.rows(TableQuery("Cost")).map { $0["id"] } == [1, 2, 3])
    #expect(try context.rows(TableQuery("Wallet").where("balance > 0")).map { $0["balance"] } == ["17"])
    #expect(try store.blocking.count(TableQuery("Cost")) == 6)
    context.undo()
    #expect(try context.count(TableQuery("Cost")) == 6)
    try context.save()
    #expect(try store.blocking.find(Cost.self, 1)?.amount == 20)
  }

  @Test("the preview of a deletion says what the deletion then does")
  func previews() throws {
    let store = try makeBookkeeping().blocking
    let wallet = try store.deletionPreview(ofRowWith: [1], in: "Wallet")
    #expect(wallet.deleted == ["Wallet": 1, "Cost": 3])
    #expect(wallet.cleared.isEmpty && wallet.denied.isEmpty && wallet.isComplete)
    let person = try store.deletionPreview(ofRowWith: [1], in: "Person")
    #expect(person.deleted == ["Person": 1])
    #expect(person.cleared.map { "\($0.table).\($0.property): \($0.count)" } == ["Wallet.owner: 1"])
    #expect(throws: StoreError.self) { try store.deletionPreview(ofRowWith: [9], in: "Person") }
    // A tree of 1,111 rows, in which the row refers to itself.
    try store.insert((1...1111).map { Node(id: $0, parent: $0 == 1 ? ToOne(1) : ToOne(($0 + 8) / 10)) })
    let before = try store.count(Node.all)
    let tree = try store.deletionPreview(ofRowWith: [2], in: "Node")
    try store.deleteRow(with: [2], from: "Node")
    #expect(try tree.deleted == ["Node": before - store.count(Node.all)])
  }
}
