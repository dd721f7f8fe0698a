import Foundation
import Larder

extension LedgerService {
  /// Throws `LedgerProblem.invalid` if the content breaks a rule.
  func createCost(_ content: CostContent) async throws -> Cost.ID {
    let cost = Cost(content)
    try await store.write { db in
      try requireParts(of: content, in: db)
      try db.insert(cost)
      try History.record("\(cost.title) added", before: LedgerRows(), after: LedgerRows(costs: [cost]), in: db)
    }
    return cost.id
  }

  /// Gives a cost a new content, if it is still what the change is based on.
  ///
  /// Throws `LedgerProblem.changedElsewhere` if it is not, `.gone` if it was deleted, `.invalid` if the content breaks
  /// a rule.
  func changeCost(_ id: Cost.ID, to content: CostContent, basedOn old: CostContent) async throws {
    try await store.write { db in
      let cost = try editableCost(id, in: db)
      guard cost.content == old else { throw LedgerProblem.changedElsewhere("Another window has changed this cost.") }
      var changed = cost
      changed.content = content
      guard changed.content != cost.content else { return }
      try requireParts(of: content, in: db)
      try db.update(changed)
      try History.record(
        "\(changed.title) changed", before: LedgerRows(costs: [cost]), after: LedgerRows(costs: [changed]), in: db)
    }
  }

  /// Throws `LedgerProblem.gone` if there is no such cost.
  func cost(_ id: Cost.ID) async throws -> CostLine {
    try await store.read { try CostLine(editableCost(id, in: $0)) }
  }

  /// Throws `LedgerProblem.gone` if there is no such cost.
  func deleteCost(_ id: Cost.ID) async throws {
    try await store.write { db in
      let cost = try editableCost(id, in: db)
      try db.delete(cost)
      try History.record("\(cost.title) deleted", before: LedgerRows(costs: [cost]), after: LedgerRows(), in: db)
    }
  }

  /// An account's initial value is changed with the account and not by itself.
  private func editableCost(_ id: Cost.ID, in db: some StoreReader) throws -> Cost {
    guard let cost = try db.first(CostFilter().costs.where { $0.id == id }) else {
      throw LedgerProblem.gone("This cost is not there any more.")
    }
    return cost
  }

  private func requireParts(of content: CostContent, in db: some StoreReader) throws {
    guard try db.exists(Account.where { $0.id == content.account }) else {
      throw LedgerProblem.invalid(.account, "This account is not there any more. Choose another one.")
    }
    guard let category = content.category else { return }
    guard try db.exists(Category.where { $0.id == category && !$0.isHidden }) else {
      throw LedgerProblem.invalid(.category, "This category is not there any more. Choose another one.")
    }
  }
}

extension Cost {
  /// What the history calls it.
  var title: String { note.isBlank ? "A cost of \(amount.amountText)" : "“\(note.excerpt)”" }
}
