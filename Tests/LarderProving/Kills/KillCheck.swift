import Foundation
import Larder

/// Compares a file with what its writers were told.
struct KillCheck {
  let store: Store
  private(set) var checks = 0
  private(set) var failures: [String] = []

  init(_ store: Store) {
    self.store = store
  }

  mutating func run(_ facts: Acknowledged.Facts, isThorough: Bool) async throws {
    let writers = facts.numbers
    let seen = try await store.read { db in
      (
        accounts: try db.fetch(KillAccount.all), transfers: try db.fetch(KillTransfer.all),
        counters: try db.fetch(KillCounter.all),
        halves: try db.fetch(KillHalf.all)
      )
    }
    checkTransfers(seen.accounts, seen.transfers)
    let counters = Dictionary(uniqueKeysWithValues: seen.counters.map { ($0.id, $0.number) })
    for (writer, number) in writers {
      expect(
        counters[writer, default: 0] >= number,
        "writer \(writer) was told \(number), the file has \(counters[writer, default: 0])")
    }
    let halves = Dictionary(uniqueKeysWithValues: seen.halves.map { ($0.id, $0.partner) })
    for (id, partner) in halves { expect(halves[partner] == id, "half \(id) is there without \(partner)") }
    for id in facts.present["half", default: []] {
      expect(halves[id] != nil, "half \(id) was saved by a context and is gone")
    }
    let transfers = Set(seen.transfers.map(\.id))
    for id in facts.present["transfer", default: []] {
      expect(transfers.contains(id), "transfer \(id) was committed and is gone")
    }
    try await checkNotes(facts)
    try await checkDocuments(facts)
    if isThorough { try await checkFile() }
  }

  private mutating func checkTransfers(_ accounts: [KillAccount], _ transfers: [KillTransfer]) {
    var balances = [Int: Int](
      uniqueKeysWithValues: (0..<KillStore.accounts).map { ($0, KillStore.total / KillStore.accounts) })
    for transfer in transfers {
      balances[transfer.source.id, default: 0] -= transfer.amount
      balances[transfer.target.id, default: 0] += transfer.amount
    }
    let sum = accounts.reduce(0) { $0 + $1.balance }
    expect(sum == KillStore.total, "the accounts' sum is \(sum) instead of \(KillStore.total)")
    for account in accounts {
      let expected = balances[account.id, default: 0]
      expect(account.balance == expected, "account \(account.id) has \(account.balance), its transfers say \(expected)")
    }
  }

  private mutating func checkNotes(_ facts: Acknowledged.Facts) async throws {
    let attachments = facts.present["attachment", default: []]
    for id in facts.present["note", default: []].union(attachments).sorted() {
      let note = try await store.find(KillNote.self, id)
      expect(note?.text == KillStore.text(of: id), "note \(id) was saved and is \(note == nil ? "gone" : "another")")
      guard attachments.contains(id), let note else { continue }
      guard let content = note.content else {
        expect(false, "note \(id) has lost its attachment")
        continue
      }
      do {
        let bytes = try await store.data(of: content)
        expect(Array(bytes) == KillStore.bytes(of: id), "the bytes of attachment \(id) are others")
      } catch {
        expect(false, "the bytes of attachment \(id) cannot be read: \(error)")
      }
    }
    for id in facts.deleted {
      let note = try await store.find(KillNote.self, id)
      expect(note == nil, "note \(id) was deleted and is there again")
    }
  }

  private mutating func checkDocuments(_ facts: Acknowledged.Facts) async throws {
    let documents = store.documents("kept")
    for id in facts.present["document", default: []] {
      let document = try await documents.find("\(id)")
      expect(
        document?["number"] == .integer(Int64(id)),
        "document \(id) was set and is \(document == nil ? "gone" : "another")")
    }
  }

  private mutating func checkFile() async throws {
    let integrity = try await store.sql("pragma integrity_check", as: (String).self)
    expect(integrity == ["ok"], "integrity_check says \(integrity.prefix(3).joined(separator: "; "))")
    let dangling = try await store.sql("pragma foreign_key_check").count
    expect(dangling == 0, "\(dangling) rows refer to nothing")
    let report = try await store.verifyAttachments()
    expect(report.isWhole, "attachments are missing or damaged: \(report)")
  }

  private mutating func expect(_ condition: Bool, _ failure: @autoclosure () -> String) {
    checks += 1
    if !condition { failures.append(failure()) }
  }
}
