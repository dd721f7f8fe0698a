import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: what loses is kept", .overEachTransport)
struct SyncConflictTests {
  private let a: Replica
  private let b: Replica
  private let account = SharedAccount(name: "Cash")

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  private func meet() async throws {
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("S2: the replica that merged both lists the value that lost, and one call restores it on both")
  func overwrittenValue() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.updateAll(SharedAccount.all) { $0.name.set("A") }
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("B") }
    try await meet()
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(conflict.kind == .value(property: "name"))
    #expect(conflict.lost == "A")
    #expect(conflict.current == "B")
    #expect(conflict.lostStamp.replica == (try await a.store.sync.replica()))
    #expect(conflict.currentStamp.replica == (try await b.store.sync.replica()))
    #expect(try await a.store.sync.conflicts().count == 1)
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await a.store.find(SharedAccount.self, account.id)?.name == "A")
    #expect(try await a.store.sync.conflicts().isEmpty)
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("a value that was written with knowledge of the other is no conflict, over a relay neither")
  func knownValue() async throws {
    let c = try Replica()
    try await a.store.insert(account)
    try await meet()
    try await c.exchange(with: b)
    try await a.store.updateAll(SharedAccount.all) { $0.name.set("A") }
    try await a.exchange(with: b)
    try await b.exchange(with: c)
    try await c.store.updateAll(SharedAccount.all) { $0.name.set("C") }
    try await c.exchange(with: a)
    try await c.exchange(with: b)
    for replica in [a, b, c] {
      #expect(try await replica.store.find(SharedAccount.self, account.id)?.name == "C")
      #expect(try await replica.store.sync.conflicts().isEmpty)
    }
  }

  @Test("equal values that were written apart are no conflict, and a dismissed conflict doesn't return")
  func dismissal() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.updateAll(SharedAccount.all) { $0.limit.set(1) }
    try await b.store.updateAll(SharedAccount.all) { $0.limit.set(1) }
    try await meet()
    #expect(try await a.store.sync.conflicts().isEmpty)
    try await a.store.updateAll(SharedAccount.all) { $0.limit.set(2) }
    try await b.store.updateAll(SharedAccount.all) { $0.limit.set(3) }
    try await meet()
    let conflict = try #require(try await a.store.sync.conflicts().first)
    try await a.store.sync.dismiss(conflict)
    try await meet()
    #expect(try await a.store.sync.conflicts().isEmpty)
    await #expect(throws: StoreError.self) { try await a.store.sync.dismiss(conflict) }
  }

  @Test("S3: a row that was deleted elsewhere while it was edited comes back whole with one call")
  func deletedRow() async throws {
    try await a.store.insert(SharedAccount(id: account.id, name: "Cash", limit: 5))
    try await meet()
    try await a.store.delete(account)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("Edited") }
    try await meet()
    #expect(try await a.store.sync.conflicts().map(\.kind) == [.deletedRow])
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    try await meet()
    let row = try #require(try await b.store.find(SharedAccount.self, account.id))
    #expect(row.name == "Edited")
    #expect(row.limit == 5)
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("S3: a deletion that knew the edit is no conflict")
  func knownDeletion() async throws {
    try await a.store.insert(account)
    try await meet()
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("Edited") }
    try await meet()
    try await a.store.delete(account)
    try await meet()
    #expect(try await a.store.sync.conflicts().isEmpty)
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  /// `a` and `b` set the note of a cost apart, `b` later, and then `b` deletes the cost.
  ///
  /// - Returns: The conflict, as `a` lists it.
  private func deletedAfterwards(_ cost: SharedCost) async throws -> SyncConflict {
    try await a.store.insert(account)
    try await a.store.insert(cost)
    try await meet()
    try await a.store.updateAll(SharedCost.all) { $0.note.set("A") }
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedCost.all) { $0.note.set("B") }
    try await meet()
    try await b.store.delete(cost)
    try await meet()
    #expect(try await a.store.sync.conflicts().map(\.kind) == [.value(property: "note")])
    return try #require(try await a.store.sync.conflicts().first)
  }

  @Test("S2: the value of a row that was deleted afterwards brings the row back with it")
  func valueOfDeletedRow() async throws {
    let cost = SharedCost(amount: 3, account: ToOne(account))
    try await a.store.sync.restore(try await deletedAfterwards(cost))
    #expect(try await a.store.find(SharedCost.self, cost.id)?.note == "A")
    try await meet()
    #expect(try await b.store.find(SharedCost.self, cost.id)?.note == "A")
    #expect(try await b.store.find(SharedCost.self, cost.id)?.amount == 3)
    for replica in [a, b] { #expect(try await replica.store.sync.conflicts().isEmpty) }
  }

  @Test("S2: the value of a row that was deleted with what it needs is set aside with the row")
  func valueOfDependentRow() async throws {
    let cost = SharedCost(amount: 3, account: ToOne(account))
    let conflict = try await deletedAfterwards(cost)
    try await b.store.delete(account)
    try await meet()
    try await a.store.sync.restore(conflict)
    let row = try #require(try await a.store.sync.setAside().first)
    #expect(row.properties["note"] == "A")
    let key = Value.blob(withUnsafeBytes(of: account.id.uuid) { Data($0) })
    #expect(row.reason == .deleted(property: "account", table: "SharedAccount", key: [key]))
    try await a.store.sync.restore(row)
    try await meet()
    #expect(try await b.store.find(SharedCost.self, cost.id)?.note == "A")
  }

  @Test("S5: a row that is set aside says why, and comes back with the row that it lacks")
  func restoringSetAside() async throws {
    let cost = SharedCost(amount: 3, note: "Milk", account: ToOne(account))
    try await a.store.sync.setName("Ada")
    try await b.store.sync.setName("Bea")
    try await a.store.insert(account)
    try await meet()
    try await a.store.delete(account)
    try await b.store.insert(cost)
    try await meet()
    let row = try #require(try await a.store.sync.setAside().first)
    #expect(row.table == "SharedCost")
    #expect(row.properties["note"] == "Milk")
    let key = Value.blob(withUnsafeBytes(of: account.id.uuid) { Data($0) })
    #expect(row.reason == .deleted(property: "account", table: "SharedAccount", key: [key]))
    let (here, there) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    #expect(row.stamp.replica == there && row.otherStamp?.replica == here)
    #expect(row.replica == "Bea" && row.otherReplica == "Ada")
    try await a.store.sync.restore(row)
    #expect(try await a.store.find(SharedCost.self, cost.id) == cost)
    try await meet()
    #expect(try await b.store.find(SharedAccount.self, account.id)?.name == "Cash")
    #expect(try await b.store.sync.setAside().isEmpty)
  }

  @Test("S5: a row that is set aside can be discarded, on all replicas")
  func discarding() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.delete(account)
    try await b.store.insert(SharedCost(amount: 3, account: ToOne(account)))
    try await meet()
    try await b.store.sync.discard(try #require(try await b.store.sync.setAside().first))
    try await meet()
    #expect(try await a.store.sync.setAside().isEmpty)
    await #expect(throws: StoreError.self) {
      try await b.store.sync.discard(
        SetAsideRow(
          table: "SharedCost", key: [], properties: [:], reason: .incomplete,
          stamp: try #require(Stamp(milliseconds: 1, counter: 0, replica: ReplicaID())), replica: nil, otherStamp: nil,
          otherReplica: nil, rowKey: RowKey(table: "SharedCost", key: [.null])))
    }
  }

  @Test("S9: a duplicate says of which row")
  func duplicate() async throws {
    let (first, second) = (SharedTag(name: "x"), SharedTag(name: "x"))
    try await a.store.insert(first)
    try await b.setClock(past: a)
    try await b.store.insert(second)
    try await meet()
    let key = Value.blob(withUnsafeBytes(of: first.id.uuid) { Data($0) })
    for replica in [a, b] {
      #expect(try await replica.store.sync.setAside().map(\.reason) == [.duplicate(properties: ["name"], key: [key])])
    }
  }

  /// `a` and `b` insert a tag of the same name, and then `a` renames the one that is visible.
  ///
  /// - Returns: The other one, as `a` listed it before.
  private func freedDuplicate() async throws -> SetAsideRow {
    let first = SharedTag(name: "x")
    try await a.store.insert(first)
    try await b.setClock(past: a)
    try await b.store.insert(SharedTag(name: "x"))
    try await meet()
    let row = try #require(try await a.store.sync.setAside().first)
    try await a.store.updateAll(SharedTag.where { $0.id == first.id }) { $0.name.set("y") }
    return row
  }

  private func setAsideCount(_ store: Store) async throws -> Int {
    try await store.readingModule { try ReplicaFile($0).setAsideCount() }
  }

  @Test("S9: a row that nothing keeps aside any longer is visible once the list is read, which agrees with the count")
  func freed() async throws {
    _ = try await freedDuplicate()
    #expect(try await setAsideCount(a.store) == 1)
    #expect(try await a.store.sync.setAside().isEmpty)
    #expect(try await setAsideCount(a.store) == 0)
    #expect(try await a.store.fetch(SharedTag.all).map(\.name).sorted() == ["x", "y"])
    try await meet()
  }

  @Test("S9: a store that can't write lists what is still kept aside")
  func freedReadOnly() async throws {
    _ = try await freedDuplicate()
    await a.store.close()
    let store = try Store(at: a.path, for: Replica.ledger, configuration: Store.Configuration(access: .readOnly))
    #expect(try await store.sync.setAside().isEmpty)
    #expect(try await setAsideCount(store) == 1)
    await store.close()
  }

  @Test("S9: deciding about a row that nothing keeps aside any longer is refused, and shows the row")
  func decidedTooLate() async throws {
    let row = try await freedDuplicate()
    let error = await #expect(throws: StoreError.self) { try await a.store.sync.discard(row) }
    #expect(error?.code == .notFound)
    #expect(try await a.store.fetch(SharedTag.all).map(\.name).sorted() == ["x", "y"])
    try await meet()
  }

  @Test("how much a peer lacks is counted")
  func pending() async throws {
    try await a.store.insert([account, SharedAccount(name: "Bank")])
    #expect(try await a.store.sync.pending(for: b.store.sync) == 2)
    try await meet()
    #expect(try await a.store.sync.pending(for: a.neighbor(toward: b).store.sync) == 0)
    #expect(try await b.store.sync.pending(for: b.neighbor(toward: a).store.sync) == 0)
  }
}
