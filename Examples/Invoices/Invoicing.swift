import Foundation
import Larder

enum InvoicingError: Error {
  case invalidEmail(String)
  case noInvoice(String)
  case noTag(String)
}

/// What the command does with its store, apart from reports.
struct Invoicing {
  let store: Store

  /// Inserts customers, or updates those with the same e-mail address, and returns them as they are stored.
  func upsert(_ customers: [Customer]) async throws -> [Customer] {
    try await store.save(customers, onConflict: \.email)
  }

  /// Saves invoices with the lines and tags that they hold.
  func save(_ invoices: [Invoice]) async throws {
    try await store.write { db in
      for invoice in invoices { try db.save(invoice, including: \.lines, \.tags) }
    }
  }

  func markPaid(_ number: String, at date: Date) async throws {
    let unpaid = Invoice.where { $0.number == number && $0.paidAt == nil }
    let changed = try await store.updateAll(unpaid) {
      $0.paidAt.set(date)
      $0.status.set(.paid)
    }
    if changed == 0 { throw InvoicingError.noInvoice(number) }
  }

  func delete(_ number: String) async throws {
    let deleted = try await store.deleteAll(Invoice.where { $0.number == number })
    if deleted == 0 { throw InvoicingError.noInvoice(number) }
  }

  /// Returns false if the customer has invoices, and is therefore kept.
  func delete(_ customer: Customer) async throws -> Bool {
    do {
      return try await store.delete(customer)
    } catch let error as StoreError where error.code == .referenced {
      return false
    }
  }

  private func invoice(_ number: String, in db: some StoreReader) throws -> Invoice {
    guard let invoice = try db.first(Invoice.where { $0.number == number }) else {
      throw InvoicingError.noInvoice(number)
    }
    return invoice
  }

  // MARK: Tags

  func tag(_ number: String, _ name: String) async throws {
    try await store.write { db in
      try db.link(invoice(number, in: db), \.tags, db.save(Tag(name: name), onConflict: \.name))
    }
  }

  @discardableResult
  func untag(_ number: String, _ name: String) async throws -> Bool {
    try await store.write { db in
      let invoice = try invoice(number, in: db)
      guard let tag = try db.first(invoice.tags.where { $0.name == name }) else { return false }
      return try db.unlink(invoice, \.tags, tag)
    }
  }

  func renameTag(_ name: String, to new: String) async throws {
    let changed = try await store.updateAll(Tag.where { $0.name == name }) { $0.name.set(new) }
    if changed == 0 { throw InvoicingError.noTag(name) }
  }

  // MARK: Lists

  /// The page of overdue invoices that follows an invoice, with their customers.
  func overdue(on date: Date, after last: Invoice? = nil, limit: Int) async throws -> [Invoice] {
    let all = Invoice.overdue(on: date).including(\.customer)
    return try await store.fetch((last.map(all.after) ?? all).limit(limit))
  }

  /// The list of a table whose header was clicked: a property such as `customer.name`, or `net`, `tax` or `gross`.
  func list(sortedBy column: String, _ order: SortOrder, limit: Int) async throws -> [Invoice] {
    let all = Invoice.all.including(\.customer)
    let sorted =
      switch column {
      case "net": all.sorted(by: \.net, order: order)
      case "tax": all.sorted(by: \.tax, order: order)
      case "gross": all.sorted(by: \.gross, order: order)
      default: all.sorted(using: [try SortTerm(property: column, order: order)])
      }
    return try await store.fetch(sorted.sorted(by: \.number).limit(limit))
  }
}
