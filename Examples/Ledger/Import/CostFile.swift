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
}
