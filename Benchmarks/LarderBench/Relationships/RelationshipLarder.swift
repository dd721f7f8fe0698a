import Foundation
import Larder

/// Larder, with the verbs that its documentation shows.
final class RelationshipLarder: RelationshipContender {
  private let store: Store
  private let newCosts: [PlainCost]
  private let newKeptCosts: [KeptCost]
  private var context: Context?

  init(path: String, newCosts: [RawCost]) throws {
    store = try Store(at: path, for: PlainAccount.self, KeptAccount.self)
    self.newCosts = newCosts.map { cost in
      PlainCost(
        id: cost.id, amount: cost.amount, day: Date(timeIntervalSinceReferenceDate: cost.day), note: cost.note,
        account: ToOne(cost.account))
    }
    newKeptCosts = newCosts.map { cost in
      KeptCost(
        id: cost.id, amount: cost.amount, day: Date(timeIntervalSinceReferenceDate: cost.day), note: cost.note,
        account: ToOne(cost.account))
    }
  }

  func loadChildren() async throws -> Int {
    let accounts = try await store.fetch(PlainAccount.all.including(\.costs))
    return accounts.reduce(0) { $1.costs.reduce($0) { $0 + $1.amount } }
  }

  func sumByQuery() async throws -> Int {
    let sums = try await store.fetch(PlainCost.all.grouped(by: \.account) { ($0.key, $0.sum(\.amount)) })
    return sums.reduce(0) { $0 + $1.1 * $1.1 }
  }

  func sumDerived() async throws -> Int {
    try await store.fetch(KeptAccount.all).reduce(0) { $0 + $1.balance * $1.balance }
  }

  func readBalance(of account: Int) throws -> Int {
    let store = store.blocking
    var sum = 0
    for _ in 0..<Books.readCount { sum += try store.find(KeptAccount.self, account)?.balance ?? 0 }
    return sum
  }

  func insertCosts() async throws { try await store.insert(newCosts) }

  func insertKeptCosts() async throws { try await store.insert(newKeptCosts) }

  func saveCosts() async throws { try await store.save(Array(newCosts.prefix(Books.savedCount))) }

  func prepareContext() {
    let context = Context(store)
    context.insert(Array(newCosts.prefix(Books.savedCount)))
    self.context = context
  }

  func saveContext() throws {
    try context?.save()
    context = nil
  }
}
