import Foundation
import Larder
import LarderSync
import LarderTestSupport

extension SyncedWriter {
  // MARK: Documents and attachments

  mutating func writeDocument(_ one: Int, _ other: Int) async throws {
    let documents = store.documents(one > 3 ? "Places" : "people")
    let key = "\(number())"
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      try await documents.save(key, ["name": .text("\(other)"), "age": .integer(Int64(one)), "nul\0": "a\0\(one)"])
    case 1: try await documents.save(key, ["list": [.integer(Int64(other)), ["deep": .real(Double(one) / 3)]]])
    case 2: try await documents.update(key, ["age": .integer(Int64(other))])
    case 3: try await documents.update(key, ["name": .text("n\(one)"), "nul\0": "a\0\(other)"])
    case 4: try await documents.delete(key)
    default:
      if other == 0 {
        try await documents.deleteCollection()
      } else {
        _ = try await documents.setExpiry(of: key, to: date(one))
      }
    }
  }

  mutating func writePicture(_ one: Int, _ other: Int) async throws {
    if other == 4 {
      try await store.deleteAll(SyncedPicture.where { $0.id == "\(one)" })
      return
    }
    let image = try await store.attach(Data("\(number())".utf8))
    let picture = SyncedPicture(id: "\(one)", name: "\(other)", image: image, details: other > 2 ? [image] : [])
    try await store.save(picture)
  }

  // MARK: Rows that were read before

  /// Changes what it has read: by a property, as a whole row, by SQL, or in a context.
  mutating func rewrite(_ account: UUID, _ cost: UUID, _ category: UUID, _ one: Int) async throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      guard var found = try await store.find(SyncedCost.self, cost) else { return }
      found.note = "only \(one)"
      try await store.update(found, only: \.note)
    case 1:
      guard var found = try await store.find(SyncedAccount.self, account) else { return }
      found.limit = Double(one) / 4
      try await store.update(found)
    case 2:
      try await store.sql(
        "update \(SyncedCost.self) set note = \("sql \(one)"), category = \(one > 2 ? category : nil) where id = \(cost)"
      )
    default:
      let context = Context(store)
      if var found = try context.find(SyncedCost.self, cost) {
        found.amount += one
        try context.save(found)
      }
      try context.deleteAll(SyncedCategory.where { $0.id == category })
      try context.save(SyncedTag(id: account, name: "\(one)"))
      try context.save()
    }
  }

  // MARK: Sheets

  mutating func writeSheet(_ account: UUID, _ one: Int, _ other: Int) async throws {
    let id = "\(one)"
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try await store.deleteAll(SyncedSheet.where { $0.id == id })
    case 1: try await store.updateAll(SyncedSheet.where { $0.id == id }) { $0.account.set(ToOne(account)) }
    case 2:
      // What an account had goes to another one, and the account goes.
      let former = key()
      try await store.write { db in
        try db.updateAll(SyncedSheet.where { $0.account == former }) { $0.account.set(ToOne(account)) }
        if former != account { try db.deleteAll(SyncedAccount.where { $0.id == former }) }
      }
    default:
      try await store.save(
        SyncedSheet(
          id: id, title: "\(other % 3)", account: ToOne(account), kind: other > 2 ? ToOne("\(number())") : nil))
    }
  }

  // MARK: Lists

  mutating func writeList(_ one: Int, _ other: Int) async throws {
    let list = "\(one % 3)"
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try await store.save(SyncedList(id: list))
    case 1: if other > 2 { try await store.deleteAll(SyncedList.where { $0.id == list }) }
    case 2, 3: try await store.save(SyncedEntry(id: "\(other)", text: "\(one)", list: ToOne(list)), expires: date(one))
    case 4: _ = try await store.setExpiry(of: SyncedEntry.self, "\(other)", to: one > 1 ? date(one) : nil)
    case 5: try await store.save(SyncedGuest(id: "\(other)"))
    case 6: try await store.deleteAll(SyncedGuest.where { $0.id == "\(other)" })
    default:
      guard let found = try await store.find(SyncedList.self, list) else { return }
      if Bool.random(using: &random) {
        let entries = try await store.fetch(SyncedEntry.all.sorted(by: \.id)).shuffled(using: &random)
        try await store.setLinks(found, \.entries, Array(entries.prefix(other + 1)))
      } else {
        let guests = try await store.fetch(SyncedGuest.all.sorted(by: \.id)).shuffled(using: &random)
        try await store.setLinks(found, \.guests, Array(guests.prefix(other)))
      }
    }
  }

  /// A date that no run sees.
  private func date(_ number: Int) -> Date { Date(timeIntervalSince1970: 10_000_000_000 + Double(number)) }

  // MARK: Deciding

  mutating func decideConflict() async throws {
    let conflicts = try await store.sync.conflicts().sorted { $0.lostStamp < $1.lostStamp }
    guard let conflict = conflicts.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      try await store.sync.restore(conflict)
    } else {
      try await store.sync.dismiss(conflict)
    }
  }

  mutating func decideSetAside() async throws {
    let rows = try await store.sync.setAside().sorted { "\($0.table) \($0.key)" < "\($1.table) \($1.key)" }
    guard let row = rows.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await store.sync.discard(row)
    case 1: try await store.sync.restore(row)
    case 2: try await store.sync.merge(row)
    default: if let key = try await visibleKey(in: row.table) { try await store.sync.merge(row, into: key) }
    }
  }

  /// The key of some visible row of a model's table.
  private mutating func visibleKey(in table: String) async throws -> [Value]? {
    let keys = try await store.readingModule { connection in
      try connection.tables.first { $0.name == table }?.keys.map(\.name)
    }
    guard let keys else { return nil }
    let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    let rows = try await store.sql(SQL(raw: "SELECT \(list) FROM main.\"\(table)\" ORDER BY \(list)"))
    return rows.randomElement(using: &random).map { row in keys.compactMap { row[$0] } }
  }

  func link(_ cost: UUID, _ tag: UUID, isLinked: Bool) async throws {
    guard let found = try await store.find(SyncedCost.self, cost),
      let linked = try await store.find(SyncedTag.self, tag)
    else { return }
    if isLinked {
      try await store.link(found, \.tags, linked)
    } else {
      try await store.unlink(found, \.tags, linked)
    }
  }
}
