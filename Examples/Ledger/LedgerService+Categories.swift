import Foundation
import Larder

extension LedgerService {
  /// Throws `LedgerProblem.invalid` if the name breaks a rule.
  func createCategory(named name: String) async throws -> Category.ID {
    let category = Category(name: name.trimmingWhitespace)
    try await store.write { db in
      try requireNewName(category, in: db)
      try db.insert(category)
      try History.record(
        "Category “\(category.name)” added", before: LedgerRows(), after: LedgerRows(categories: [category]), in: db)
    }
    return category.id
  }

  /// Throws `LedgerProblem.changedElsewhere` if it is no longer called what the change is based on, `.gone` if it was
  /// deleted, `.invalid` if the name breaks a rule.
  func renameCategory(_ id: Category.ID, to name: String, basedOn old: String) async throws {
    try await store.write { db in
      let category = try editableCategory(id, in: db)
      guard category.name == old else {
        throw LedgerProblem.changedElsewhere("Another window has changed this category.")
      }
      var changed = category
      changed.name = name.trimmingWhitespace
      guard changed.name != category.name else { return }
      try requireNewName(changed, in: db)
      try db.update(changed)
      try History.record(
        "Category “\(changed.name)” renamed", before: LedgerRows(categories: [category]),
        after: LedgerRows(categories: [changed]), in: db)
    }
  }

  /// How many costs lose their category when it is deleted. Throws `LedgerProblem.gone` if there is none.
  func costsLosing(_ id: Category.ID) async throws -> Int {
    try await store.read { try editableCategory(id, in: $0).costCount }
  }

  /// Deletes a category; its costs stay without one: the delete rule of `Category.costs` takes it from them.
  ///
  /// - Parameter confirmed: The number of costs that the user was told of.
  ///
  /// Throws `LedgerProblem.changedElsewhere` if it is another number by now, and `.gone` if there is no such category.
  func deleteCategory(_ id: Category.ID, confirmed: Int) async throws {
    try await store.write { db in
      let category = try editableCategory(id, in: db)
      guard category.costCount == confirmed else { throw LedgerProblem.costsChanged }
      let costs = try db.fetch(category.costs.all)
      try db.delete(category)
      let without = costs.map { cost in
        var cost = cost
        cost.category = nil
        return cost
      }
      try History.record(
        "Category “\(category.name)” deleted", before: LedgerRows(categories: [category], costs: costs),
        after: LedgerRows(costs: without), in: db)
    }
  }

  /// The hidden category is none that anybody edits.
  private func editableCategory(_ id: Category.ID, in db: some StoreReader) throws -> Category {
    guard let category = try db.find(Category.self, id), !category.isHidden else {
      throw LedgerProblem.gone("This category is not there any more.")
    }
    return category
  }

  private func requireNewName(_ category: Category, in db: some StoreReader) throws {
    guard try !db.exists(Category.where { $0.name.caseInsensitive == category.name && $0.id != category.id }) else {
      throw LedgerProblem.invalid(
        .name,
        category.name.lowercased() == Category.initialValue.name.lowercased()
          ? "This name is Ledger's own." : "There is already a category of this name.")
    }
  }
}
