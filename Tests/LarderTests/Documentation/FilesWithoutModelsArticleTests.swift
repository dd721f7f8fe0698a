import Foundation
import Larder
import Testing

enum FilesWithoutModelsArticle {
  @Model("Parcel")
  struct Parcel: Hashable {
    var id: UUID = .v7()
    var title: String
    var weight: Decimal
    var dueAt: Date
    var isPaid = false
    var sender: ToOne<Sender>
  }

  @Model("Sender")
  struct Sender: Hashable {
    var id: Int
    var name: String
    @Relationship(inverse: \FilesWithoutModelsArticle.Parcel.sender) var parcels: ToMany<Parcel> = []
  }
}

@Suite("Documentation: Files without their models")
@MainActor
struct FilesWithoutModelsArticleTests {
  private typealias Parcel = FilesWithoutModelsArticle.Parcel
  private typealias Sender = FilesWithoutModelsArticle.Sender

  @Test("a file is read and written without its models")
  func article() async throws {
    let folder = try ArticleFolder()
    let url = folder.file("parcels.larder")
    let typed = try Store(at: url, for: Parcel.self)
    try await typed.insert([Sender(id: 1, name: "Post office"), Sender(id: 2, name: "Ada")])
    let day = Date(timeIntervalSinceReferenceDate: 817_689_600)
    try await typed.insert([
      Parcel(title: "Shoes", weight: 1, dueAt: day, sender: ToOne(1)),
      Parcel(title: "Lamp", weight: 10, dueAt: day, sender: ToOne(1)),
      Parcel(title: "Pen", weight: 9, dueAt: day, sender: ToOne(2)),
    ])
    await typed.close()

    let store = try Store(at: url, schema: .existing)
    for table in try await store.tables {
      print(table.title, table.properties.map { "\($0.name): \($0.swiftType)" })
    }

    let late = TableQuery("Parcel")
      .where(#"sender.name contains "Post" and dueAt < 2026-12-24 and not isPaid"#)
      .sorted(by: "-weight, dueAt")
      .limit(20)
    let parcels = try await store.rows(late)
    let count = try await store.count(late)
    #expect(parcels.map { $0["title"] } == ["Lamp", "Shoes"])
    #expect(count == 2)

    let table = try await store.table("Parcel")
    let dueAt = try #require(table.property("dueAt"))
    let text = dueAt.text(of: parcels[0]["dueAt"] ?? .null)
    #expect(text == "2026-11-30T00:00:00.000Z")

    let key = try await store.insert(
      ["title": "Books", "weight": "2.5", "dueAt": "2026-12-20", "isPaid": false, "sender": 1], into: "Parcel")
    try await store.update(["isPaid": true], ofRowWith: key, in: "Parcel")
    try await store.deleteRow(with: key, from: "Parcel")
    #expect(try await store.count(TableQuery("Parcel")) == 3)
  }
}
