import Foundation
import Larder

/// The queries as a user of Larder writes them.
struct QueriesLarder {
  private let store: Store

  init(path: String, _ receipts: [Receipt]) throws {
    store = try Store(at: path, for: Receipt.self)
    try store.blocking.insert(receipts)
  }

  func copy(to path: String) throws {
    try store.blocking.backup(to: path)
  }

  func selection() throws -> [CustomerTotal] {
    try store.blocking.fetch(
      Receipt.select(\.customer, \.total).map { CustomerTotal(customer: $0.0, total: $0.1) })
  }

  func months() throws -> [MonthTotal] {
    let months = Receipt.all.grouped(by: { $0.issuedAt.month(in: .gmt) }) { ($0.key, $0.count, $0.sum(\.total)) }
    return try store.blocking.fetch(months).map { MonthTotal(month: $0.0, count: $0.1, total: $0.2) }
  }

  func save(_ receipts: [Receipt]) throws {
    try store.blocking.write { _ = try $0.save(receipts, onConflict: \.code) }
  }
}
