import Foundation
import Larder

/// All that the page shows, read from one snapshot, so that no balance is of another moment than the costs beside it.
struct Overview: Encodable, Equatable, Sendable {
  let accounts: [AccountLine]
  let categories: [CategoryLine]
  let costs: [CostLine]
  /// The number of costs that the filter lets through, of which `costs` are the newest. A `CostPage` has others.
  let costCount: Int
  /// One for each currency of the accounts that the filter lets through.
  let currencies: [CurrencyOverview]
  let history: History.Outlook

  struct AccountLine: Encodable, Equatable, Sendable {
    let id: UUID
    let name: String
    let currency: Currency
    let initialValue: String
    let balance: String
    let costs: Int
  }

  struct CategoryLine: Encodable, Equatable, Sendable {
    let id: UUID
    let name: String
    let costs: Int
  }

  init(_ filter: CostFilter, limit: Int, in db: some StoreReader) throws {
    let accounts = try db.fetch(Account.all.sorted(by: \.name.localized))
    let initialValues = try db.fetch(Cost.where { $0.category.name == Category.initialValue.name })
    let counts = try db.fetch(CostFilter().costs.grouped(by: \.account) { ($0.key, $0.count) })
    let values = Dictionary(initialValues.map { ($0.account.id, $0.amount) }) { $0 + $1 }
    let costCounts = Dictionary(counts.map { ($0.0.id, $0.1) }) { $0 + $1 }
    self.accounts = accounts.map {
      AccountLine(
        id: $0.id, name: $0.name, currency: $0.currency, initialValue: values[$0.id, default: 0].amountText,
        balance: $0.balance.amountText,
        costs: costCounts[$0.id, default: 0])
    }
    categories = try db.fetch(Category.where { !$0.isHidden }.sorted(by: \.name.localized)).map {
      CategoryLine(id: $0.id, name: $0.name, costs: $0.costCount)
    }
    costs = try db.fetch(filter.costs.limit(limit)).map { CostLine($0) }
    costCount = try db.count(filter.costs)
    let shown = accounts.filter { filter.account == nil || $0.id == filter.account }
    currencies = try Currency.allCases.filter { currency in shown.contains { $0.currency == currency } }.map {
      try CurrencyOverview($0, filter, in: db)
    }
    history = try History.outlook(in: db)
  }
}
