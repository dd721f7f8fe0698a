import Foundation
import Larder

/// A CSV file of costs, read and checked against the accounts and categories that there are. Nothing is saved by it.
struct CostFile: Sendable {
  /// The costs that can be imported, in the order of the file.
  private(set) var lines: [Line] = []
  /// The lines that cannot, and why.
  private(set) var refused: [RefusedLine] = []
  /// Categories that the file names and the ledger does not have, in the order of the file.
  private(set) var newCategories: [Category] = []

  struct Line: Sendable {
    let number: Int
    let cost: Cost
    let categoryName: String
    /// Whether the ledger already has this cost. Of two lines that are the same, one is new if it has one such cost.
    fileprivate(set) var isKnown = false
  }

  struct RefusedLine: Equatable, Encodable, Sendable {
    let line: Int
    let text: String
    let reasons: [String]
  }

  static let maximumBytes = 20 * 1024 * 1024

  /// Throws `InvalidText` if the file as a whole cannot be read: not UTF-8, empty, or without the columns' names;
  /// `CancellationError` if the task was cancelled.
  init(_ bytes: [UInt8], accounts: [Account], categories: [Category]) throws {
    var records = try CSVReader(bytes)
    var first = records.next()
    while let record = first, record.isBlank { first = records.next() }
    guard let first else { throw InvalidText("This file is empty.") }
    let header = try CostFileHeader(first.fields)
    var check = CostLineCheck(header: header, accounts: accounts, categories: categories)
    for record in records where !record.isBlank {
      try Task.checkCancellation()
      switch check(record) {
      case .success(let line): lines.append(line)
      case .failure(let refusal):
        refused.append(
          RefusedLine(line: record.line, text: record.fields.joined(separator: " · ").excerpt, reasons: refusal.reasons)
        )
      }
    }
    newCategories = check.newCategories
  }

  /// Returns the file with the lines marked that the ledger already has: costs with the same date, amount, note,
  /// account and category.
  func compared(with db: some StoreReader) throws -> CostFile {
    let days = lines.map(\.cost.date)
    guard let first = days.min(), let last = days.max() else { return self }
    var known: [CostContent: Int] = [:]
    for cost in try db.fetch(CostFilter(from: first, through: last).costs) { known[cost.content, default: 0] += 1 }
    var file = self
    for index in lines.indices {
      let content = lines[index].cost.content
      file.lines[index].isKnown = known[content, default: 0] > 0
      if file.lines[index].isKnown { known[content, default: 0] -= 1 }
    }
    return file
  }
}
