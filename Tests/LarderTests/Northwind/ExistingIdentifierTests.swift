import Foundation
import Larder
import Testing

@Model("Parcels")
struct ExistingParcel: Hashable {
  var id: UUID
  var sentAt: Date?
  var label: String = ""
}

/// Identifiers and dates that an existing file keeps as text are found, compared and written as that text.
@Suite struct ExistingIdentifierTests {
  static let ids = ["0F8FAD5B-D9CB-469F-A165-70867728950E", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"].compactMap { UUID(uuidString: $0) }

  private func withFile(isLowercase: Bool, _ body: (BlockingStore) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("larder-parcels-\(UUID()).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let maker = try Store(at: file, for: LabelledItem.self)
    try maker.blocking.sql("create table Parcels (id TEXT PRIMARY KEY, sentAt TEXT, label TEXT NOT NULL)")
    for id in Self.ids {
      let text = isLowercase ? id.uuidString.lowercased() : id.uuidString
      try maker.blocking.sql("insert into Parcels values (\(text), '2024-05-06', 'old')")
    }
    try body(Store(at: file, for: ExistingParcel.self, schema: .existing).blocking)
  }

  @Test("keys are found, saved, updated and deleted, in upper and in lower case", arguments: [true, false])
  func keys(_ isLowercase: Bool) throws {
    try withFile(isLowercase: isLowercase) { db in
      func texts() throws -> [String] { try db.sql("select id from Parcels order by label, id", as: String.self) }
      var parcel = try #require(try db.find(ExistingParcel.self, Self.ids[0]))
      #expect(parcel.label == "old")
      parcel.label = "new"
      try db.update(parcel)
      try db.save(parcel)
      #expect(try db.count(ExistingParcel.all) == 2)
      #expect(try db.find(ExistingParcel.self, Self.ids[0]) == parcel)
      let added = ExistingParcel(id: .v7(), sentAt: Date(timeIntervalSinceReferenceDate: 0), label: "then")
      try db.insert(added)
      #expect(try texts().allSatisfy { $0 == (isLowercase ? $0.lowercased() : $0.uppercased()) })
      #expect(throws: StoreError.self) { try db.insert(added) }
      #expect(try db.fetch(ExistingParcel.where { $0.id.isIn([Self.ids[1], added.id]) }.sorted(by: \.label)).map(\.label) == ["old", "then"])
      #expect(
        try db.fetch(ExistingParcel.all.sorted(by: \.id).after(parcel)).count
          + db.fetch(ExistingParcel.all.sorted(by: \.id, order: .reverse).after(parcel)).count == 2)
      let other = UUID()
      #expect(try db.updateAll(ExistingParcel.where { $0.id == Self.ids[1] }) { $0.id.set(other) } == 1)
      #expect(try texts().allSatisfy { $0 == (isLowercase ? $0.lowercased() : $0.uppercased()) })
      #expect(try db.delete(ExistingParcel.self, other))
      #expect(try db.delete(parcel))
      #expect(try db.fetch(ExistingParcel.all) == [added])
    }
  }

  @Test("dates are compared by time whatever their text says of it")
  func dates() throws {
    try withFile(isLowercase: true) { db in
      try db.sql("update Parcels set sentAt = '2024-05-06T02:00:00+02:00' where id = \(Self.ids[0].uuidString.lowercased())")
      let date = try day(2024, 5, 6)
      #expect(try db.count(ExistingParcel.where { $0.sentAt == date }) == 2)
      #expect(try db.fetch(ExistingParcel.all.grouped(by: \.sentAt) { ($0.key, $0.count) }).map(\.1) == [2])
      #expect(try db.updateAll(ExistingParcel.where { $0.sentAt <= date }) { $0.sentAt.set(date.addingTimeInterval(0.5)) } == 2)
      #expect(try db.sql("select distinct sentAt from Parcels", as: String.self) == ["2024-05-06T00:00:00.500Z"])
      #expect(try db.updateAll(ExistingParcel.all) { $0.sentAt.set(nil) } == 2)
      #expect(try db.count(ExistingParcel.where { $0.sentAt == nil }) == 2)
    }
  }
}
