import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: contexts with unsaved changes")
struct SyncContextTests {
  private let a: Replica
  private let b: Replica
  /// Rows by what happens to them in the context, and elsewhere.
  private let parted = SharedAccount(name: "old")
  private let shared = SharedAccount(name: "old")
  private let deletedThere = SharedAccount(name: "old")
  private let deletedHere = SharedAccount(name: "old")
  private let untouched = SharedAccount(name: "old")
  private let insertedTwice = UUID.v7()

  init() throws {
    (a, b) = (try Replica(), try Replica())
  }

  /// Changes rows in the context and on the other replica, and exchanges before the context is saved.
  private func change(_ context: Context) async throws {
    try await a.store.insert([parted, shared, deletedThere, deletedHere, untouched])
    try await a.exchange(with: b)

    for account in [parted, shared, deletedThere] {
      var account = try #require(try context.find(SharedAccount.self, account.id))
      account.name = "context"
      context.update(account)
    }
    context.delete(try #require(try context.find(SharedAccount.self, deletedHere.id)))
    context.insert(SharedAccount(id: insertedTwice, name: "context"))

    try await b.setClock(past: a)
    try await b.store.updateAll(SharedAccount.where { $0.id == parted.id }) { $0.limit.set(5) }
    for account in [shared, deletedHere, untouched] {
      try await b.store.updateAll(SharedAccount.where { $0.id == account.id }) { $0.name.set("elsewhere") }
    }
    try await b.store.deleteAll(SharedAccount.where { $0.id == deletedThere.id })
    try await b.store.insert(SharedAccount(id: insertedTwice, name: "elsewhere"))
    try await a.exchange(with: b)
  }

  private struct Shown: Hashable {
    let name: String
    let limit: Double?

    init?(_ account: SharedAccount?) {
      guard let account else { return nil }
      (name, limit) = (account.name, account.limit)
    }

    init(_ name: String, _ limit: Double? = nil) {
      (self.name, self.limit) = (name, limit)
    }
  }

  /// Expects what the policy makes of the rows, on both replicas once they have exchanged.
  private func expect(_ policy: MergePolicy) async throws {
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b], "\(policy)")
    let winsContext = policy == .preferContext || policy == .overwrite
    let (context, elsewhere) = (Shown("context"), Shown("elsewhere"))
    let merged: Shown? =
      switch policy {
      case .overwrite: context
      case .rollback: Shown("old", 5)
      case .error, .preferStore, .preferContext: Shown("context", 5)
      }
    let expected: [(String, UUID, Shown?)] = [
      ("two properties", parted.id, merged),
      ("one property", shared.id, winsContext ? context : elsewhere),
      ("edited here and deleted there", deletedThere.id, winsContext ? context : nil),
      ("deleted here and edited there", deletedHere.id, winsContext ? nil : elsewhere),
      ("edited there only", untouched.id, elsewhere),
      ("inserted on both sides", insertedTwice, winsContext ? context : elsewhere),
    ]
    for (what, id, shown) in expected {
      #expect(Shown(try await b.store.find(SharedAccount.self, id)) == shown, "\(what), \(policy)")
    }
  }

  @Test("a context saves by its merge policy after an exchange", arguments: MergePolicy.allCases)
  func policies(policy: MergePolicy) async throws {
    let context = Context(a.store, mergePolicy: policy)
    try await change(context)
    guard policy == .error else {
      try context.save()
      return try await expect(policy)
    }
    let before = try await a.state()
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(try await a.state() == before)
    // What wasn't saved is still there, and can be saved by another policy.
    try context.save(mergePolicy: .preferContext)
    try await expect(.preferContext)
  }

  @Test("a child context saves into its parent, which merges what came from elsewhere", arguments: MergePolicy.allCases)
  func children(policy: MergePolicy) async throws {
    let context = Context(a.store, mergePolicy: policy)
    let child = context.child()
    try await change(child)
    if policy == .error {
      // The exchange has changed the parent's rows under the child.
      let error = #expect(throws: StoreError.self) {
        try child.save()
        try context.save()
      }
      #expect(error?.code == .conflict)
      try child.save(mergePolicy: .preferContext)
      try context.save(mergePolicy: .preferContext)
      return try await expect(.preferContext)
    }
    try child.save()
    try context.save()
    try await expect(policy)
  }

  @Test(
    "S12: what a context with pending increments adds while an exchange brings others' additions is added to them",
    arguments: MergePolicy.allCases)
  func counters(policy: MergePolicy) async throws {
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await a.exchange(with: b)
    let context = Context(a.store, mergePolicy: policy)
    try context.updateAll(SharedPage.all) { $0.views.increment(by: 2) }
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await a.exchange(with: b)
    try context.save()
    try await a.exchange(with: b)
    for replica in [a, b] {
      #expect(try await replica.store.find(SharedPage.self, "home")?.views == 17)
    }

    // A row that is saved whole adds the difference from what the context has read.
    var page = try #require(try context.find(SharedPage.self, "home"))
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 3) }
    try await a.exchange(with: b)
    page.views += 1
    page.stars += 1
    context.update(page)
    try context.save()
    try await a.exchange(with: b)
    for replica in [a, b] {
      #expect(try await replica.store.find(SharedPage.self, "home") == SharedPage(id: "home", views: 21, stars: 1))
    }
    try await expectEqual([a, b], "\(policy)")
  }
}
