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
  static let ids = ["0F8FAD5B-D9CB-469F-A165-70867728950E", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"].compactMap {
    UUID(uuidString: $0)
  }

  private func withFile(isLowercase: Bool, _ body: (BlockingStore, URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("larder-parcels-\(UUID()).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let maker = try Store(at: file, for: LabelledItem.self)
    try maker.blocking.sql("create table Parcels (id TEXT PRIMARY KEY, sentAt TEXT, label TEXT NOT NULL)")
    for id in Self.ids {
      let text = isLowercase ? id.uuidString.lowercased() : id.uuidString
      try maker.blocking.sql("insert into Parcels values (\(text), '2024-05-06', 'old')")
    }
    try body(Store(at: file, for: ExistingParcel.self, schema: .existing).blocking, file)
  }

  @Test("keys are found, saved, updated and deleted, in upper and in lower case", arguments: [true, false])
  func keys(_ isLowercase: Bool) throws {
    try withFile(isLowercase: isLowercase) { db, _ in
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
      #expect(
        try db.fetch(ExistingParcel.where { $0.id.isIn([Self.ids[1], added.id]) }.sorted(by: \.label)).map(\.label) == [
          "old", "then",
        ])
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
    try withFile(isLowercase: true) { db, _ in
      try db.sql(
        "update Parcels set sentAt = '2024-05-06T02:00:00+02:00' where id = \(Self.ids[0].uuidString.lowercased())")
      let date = try day(2024, 5, 6)
      #expect(try db.count(ExistingParcel.where { $0.sentAt == date }) == 2)
      #expect(try db.fetch(ExistingParcel.all.grouped(by: \.sentAt) { ($0.key, $0.count) }).map(\.1) == [2])
      #expect(
        try db.updateAll(ExistingParcel.where { $0.sentAt <= date }) { $0.sentAt.set(date.addingTimeInterval(0.5)) }
          == 2)
      #expect(try db.sql("select distinct sentAt from Parcels", as: String.self) == ["2024-05-06T00:00:00.500Z"])
      #expect(try db.updateAll(ExistingParcel.all) { $0.sentAt.set(nil) } == 2)
      #expect(try db.count(ExistingParcel.where { $0.sentAt == nil }) == 2)
    }
  }

  @Test(
    "in a column with identifiers in both cases and in bytes, the row that is found is the row that is saved, as it stands"
  )
  func mixedKeys() throws {
    try withFile(isLowercase: false) { db, file in
      try db.sql("update Parcels set id = lower(id) where id = \(Self.ids[1].uuidString)")
      let third = UUID()
      try db.sql("insert into Parcels values (\(third), '2024-05-06', 'bytes')")
      let store = try Store(at: file, for: ExistingParcel.self, schema: .existing).blocking
      let before = try store.sql("select id, sentAt from Parcels order by rowid")
      for id in Self.ids + [third] {
        var parcel = try #require(try store.find(ExistingParcel.self, id))
        parcel.label = "saved"
        try store.save(parcel)
        try store.update(parcel)
        #expect(throws: StoreError.self) { try store.insert(parcel) }
      }
      #expect(try store.sql("select id, sentAt from Parcels order by rowid") == before)
      #expect(try store.sql("select distinct label from Parcels", as: String.self) == ["saved"])
    }
  }

  @Test("a row whose key is a date, or a number, in text is found and saved as it stands")
  func otherKeys() throws {
    let file = try StoreFile()
    try file.sql(
      "create table Days (day TEXT, number TEXT, price TEXT, note TEXT, PRIMARY KEY (day, number, price))",
      creating: true)
    try file.sql("insert into Days values ('2024-05-06', '007', '1.50', 'old'), ('2024-05-07 10:00', '8', '2', 'old')")
    let db = try Store(at: file.path, for: ExistingDay.self, schema: .existing).blocking
    let rows = try db.fetch(ExistingDay.all.sorted(by: \.day))
    #expect(rows.map(\.number) == [7, 8])
    for row in rows {
      var row = row
      row.note = "new"
      try db.save(row)
      #expect(try db.find(ExistingDay.self, row.id) == row)
    }
    #expect(
      try file.sql("select day, number, price, note from Days order by day").map { $0["day"] } == [
        "2024-05-06", "2024-05-07 10:00",
      ])
    #expect(try file.sql("select distinct note from Days").map { $0["note"] } == ["new"])
    #expect(
      try file.sql("select number, price from Days where day = '2024-05-06'").first?.dictionary == [
        "number": "007", "price": "1.50",
      ])
  }

  @Test("what is odd in the thousandth row counts, and a condition on it deletes no other row")
  func lateOddness() throws {
    let file = try StoreFile()
    try file.sql("create table Flags (id INTEGER PRIMARY KEY, isOn BOOLEAN)", creating: true)
    try file.sql(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) insert into Flags select i, i % 2 from n"
    )
    try file.sql("update Flags set isOn = case isOn when 1 then 'true' else 'false' end where id > 900")
    let db = try Store(at: file.path, for: ExistingFlag.self, schema: .existing).blocking
    #expect(try db.count(ExistingFlag.where { $0.isOn }) == 500)
    var last = try #require(try db.find(ExistingFlag.self, 1000))
    last.isOn.toggle()
    try db.save(last)
    #expect(try file.sql("select isOn from Flags where id = 1000").first?["isOn"] == "true")
    #expect(try db.deleteAll(ExistingFlag.where { !$0.isOn }) == 499)
    #expect(try db.fetch(ExistingFlag.all).allSatisfy(\.isOn))
  }

  @Test("a condition that needs a value which cannot be read is refused with its place, and deletes nothing")
  func unreadable() throws {
    let file = try StoreFile()
    try file.sql("create table Flags (id INTEGER PRIMARY KEY, isOn BOOLEAN)", creating: true)
    try file.sql("insert into Flags values (1, 'true'), (2, 'maybe')")
    let db = try Store(at: file.path, for: ExistingFlag.self, schema: .existing).blocking
    let error = #expect(throws: StoreError.self) { try db.deleteAll(ExistingFlag.where { !$0.isOn }) }
    #expect(error?.code == .invalidValue)
    #expect(error?.model == "ExistingFlag" && error?.property == "isOn")
    #expect(try db.count(ExistingFlag.all) == 2)
  }
}

@Model("Days")
struct ExistingDay: Hashable {
  @Attribute(.primaryKey) var day: Date
  @Attribute(.primaryKey) var number: Int
  @Attribute(.primaryKey) var price: Decimal
  var note: String
}

@Model("Flags")
struct ExistingFlag: Hashable {
  var id: Int
  var isOn: Bool
}
