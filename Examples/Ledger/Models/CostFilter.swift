import Foundation
import Larder

/// Which costs the page shows and a file exports.
struct CostFilter: Equatable, Sendable {
  var account: Account.ID?
  var category: CategoryChoice?
  var from: Day?
  var through: Day?
  /// Words of the note, or the beginnings of words.
  var text: String?

  enum CategoryChoice: Equatable, Sendable {
    /// Costs that have none.
    case none
    case category(Category.ID)
  }

  /// The costs, newest first. Initial values are not among them.
  var costs: Query<Cost> {
    var costs = Cost.search(typed: text ?? "").where { $0.category != Category.initialValue.id }
    if let account { costs = costs.where { $0.account == account } }
    switch category {
    case .category(let category): costs = costs.where { $0.category == category }
    case .some(.none): costs = costs.where { $0.category == nil }
    case nil: break
    }
    if let from { costs = costs.where { $0.date >= from } }
    if let through { costs = costs.where { $0.date <= through } }
    return costs.sorted(by: \.date, order: .reverse).sorted(by: \.id, order: .reverse)
  }
}
