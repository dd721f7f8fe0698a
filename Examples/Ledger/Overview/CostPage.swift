import Foundation
import Larder

/// Some of the costs that a filter lets through, in their order: what a window shows of a long list.
struct CostPage: Encodable, Equatable, Sendable {
  /// The number of costs on a page, unless there are fewer.
  static let length = 100

  /// The number of costs before the first one here.
  let start: Int
  /// The number of costs that the filter lets through.
  let total: Int
  let costs: [CostLine]

  /// Reads the costs after a place; without one, from the newest on.
  ///
  /// - Parameters:
  ///   - filter: Which costs there are.
  ///   - place: A cost, which need not be there any more.
  ///   - skipped: The number of costs to leave out after the place.
  ///   - db: What is read.
  init(_ filter: CostFilter, after place: CostPlace?, skipping skipped: Int, in db: some StoreReader) throws {
    let rest = place.map { filter.costs.after($0.cost) } ?? filter.costs
    total = try db.count(filter.costs)
    start = try total - db.count(rest) + skipped
    costs = try db.fetch(rest.limit(Self.length, offset: skipped)).map { CostLine($0) }
  }
}

/// A place in the order of costs.
struct CostPlace: Equatable, Sendable {
  let date: Day
  let id: Cost.ID

  /// The order looks at the date and the identifier alone.
  fileprivate var cost: Cost { Cost(id: id, amount: 0, date: date, account: ToOne(id)) }
}

/// A cost as the page shows it.
struct CostLine: Encodable, Equatable, Sendable {
  let id: UUID
  let date: Day
  let amount: String
  let note: String
  let account: UUID
  let category: UUID?

  init(_ cost: Cost) {
    id = cost.id
    date = cost.date
    amount = cost.amount.amountText
    note = cost.note
    account = cost.account.id
    category = cost.category?.id
  }
}
