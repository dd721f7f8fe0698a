import Foundation
import Larder

/// Takes rows from a file into a table, in one transaction.
struct RowImport {
  /// What was done.
  struct Report {
    var inserted = 0
    var updated = 0
    var refused = 0
    /// The first rows that were refused.
    var failures: [RowFailure] = []
  }

  /// Whether refused rows are left out; otherwise one ends the import, which then leaves nothing.
  let keepsGoing: Bool
  /// Whether a row with a key that is there already is updated.
  let updates: Bool
  private let table: TransferredTable
  private let name: String
  private static let mostFailures = 100

  /// - Parameter name: The name of the input, for messages.
  init(into table: TransferredTable, from name: String, keepsGoing: Bool, updates: Bool) {
    self.table = table
    self.name = name
    self.keepsGoing = keepsGoing
    self.updates = updates
  }

  /// Imports all rows.
  ///
  /// - Throws: ``Failure`` with the line of what can't be read or taken; `StoreError` for what isn't about a row.
  func run(_ reader: RowReader, on db: Transaction) throws -> Report {
    var reader = reader
    var report = Report()
    var bar = ProgressBar("Importing")
    defer { bar.finish() }
    let insertion = RowInsertion(table, updates: updates)
    var references = try DeferredReferences(of: table.description.name, on: db)
    while true {
      do {
        guard let record = try reader.next() else { break }
        switch try taking(record, { try autoreleasing { try insertion.take(record, on: db) } }) {
        case .inserted:
          report.inserted += 1
          try references?.note(line: record.line, on: db)
        case .updated: report.updated += 1
        }
      } catch let failure as RowFailure {
        try refuse(failure, in: &report)
      } catch let failure as LineFailure {
        throw Failure("\(name):\(failure.line): \(failure.message)")
      }
      let (completed, total) = reader.progress
      bar.show(completed, of: total, "\(report.inserted + report.updated) rows")
    }
    for failure in try references?.removeDangling(on: db) ?? [] {
      try refuse(failure, in: &report)
      report.inserted -= 1
    }
    return report
  }

  private func refuse(_ failure: RowFailure, in report: inout Report) throws {
    guard keepsGoing else { throw Failure(message(failure)) }
    report.refused += 1
    if report.failures.count < Self.mostFailures { report.failures.append(failure) }
  }

  func message(_ failure: RowFailure) -> String { "\(name):\(failure.line): \(failure.message)" }

  private func taking<Result>(_ record: RowReader.Record, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where Self.isAboutRow(error) {
      throw RowFailure(line: record.line, error.message)
    }
  }

  /// Returns whether another row may still be taken after the error.
  private static func isAboutRow(_ error: StoreError) -> Bool {
    [.duplicate, .constraint, .referenced, .invalidValue, .notFound, .unsupported].contains(error.code)
  }
}

/// Writes one row.
struct RowInsertion {
  enum Outcome {
    case inserted, updated
  }

  private let table: TransferredTable
  private let updates: Bool
  private let keys: [TableDescription.Property]

  init(_ table: TransferredTable, updates: Bool) {
    self.table = table
    self.updates = updates
    keys = table.description.key
  }

  func take(_ record: RowReader.Record, on db: Transaction) throws -> Outcome {
    if table.isCollection { return try takeDocument(record, on: db) }
    let name = table.description.name
    if updates, let key = key(of: record), try db.row(with: key, in: name) != nil {
      let values = record.values.filter { named in !keys.contains { $0.name == named.key || $0.column == named.key } }
      try db.update(values, ofRowWith: key, in: name)
      if record.namesExpiry { try db.setExpiry(ofRowWith: key, in: name, to: record.expires) }
      return .updated
    }
    var values = record.values
    // A key that the input leaves empty is made anew.
    if keys.count == 1, let key = keys.first {
      for name in [key.name, key.column] where values[name] == .null { values[name] = nil }
    }
    try db.insert(values, into: name, expires: record.expires)
    return .inserted
  }

  private func key(of record: RowReader.Record) -> [Value]? {
    let values = keys.compactMap { record.values[$0.name] ?? record.values[$0.column] }
    return values.count == keys.count && !values.contains(.null) ? values : nil
  }

  private func takeDocument(_ record: RowReader.Record, on db: Transaction) throws -> Outcome {
    let documents = db.documents(table.description.name)
    guard let key = record.values[TransferredTable.key]?.text,
      let json = record.values[TransferredTable.document]?.text
    else {
      throw RowFailure(line: record.line, "The row has no key, or no document. Give it both.")
    }
    let isThere = try documents.contains(key)
    guard updates || !isThere else {
      throw RowFailure(line: record.line, "A document has this key already. Use --update to replace it.")
    }
    let expires = record.namesExpiry || !isThere ? record.expires : try documents.expiry(of: key)
    try documents.save(key, json: json, expires: expires)
    return isThere ? .updated : .inserted
  }
}
