import Foundation
import Larder

/// Reads rows of a table from a file, one after another.
struct RowReader {
  /// A row: its values by the names of their properties, and when it expires.
  struct Record {
    let line: Int
    var values: [String: Value]
    var expires: Date?
    /// Whether the input says when the row expires, or that it stays.
    var namesExpiry = false
  }

  private enum Source {
    case csv(CSVReader, header: [String])
    case json(JSONReader)
  }

  private let table: TransferredTable
  private let codings: [String: ColumnCoding]
  private let ignored: Set<String>
  private var source: Source

  /// - Throws: ``LineFailure`` for CSV without a header, or with one that names a column twice.
  init(_ input: InputBytes, _ format: DataFormat, _ table: TransferredTable) throws {
    self.table = table
    var codings = Dictionary(table.columns.map { ($0.name, $0) }) { first, _ in first }
    if !table.isCollection {
      for property in table.description.properties where codings[property.column] == nil {
        codings[property.column] = ColumnCoding(property)
      }
    }
    self.codings = codings
    // What is derived follows from other rows.
    let derived = table.description.properties.filter(\.isDerived)
    ignored = Set(derived.map(\.name) + derived.map(\.column))
    guard format == .csv else {
      source = .json(JSONReader(input, isArray: format == .json))
      return
    }
    var reader = CSVReader(input)
    guard let header = try Self.header(&reader) else {
      throw LineFailure(line: 1, "The input is empty. The first line of CSV names the columns.")
    }
    let names = header.fields.map(\.text)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw LineFailure(line: 1, "The column \(twice) is named twice. Remove one of them.")
    }
    source = .csv(reader, header: names)
  }

  private static func header(_ reader: inout CSVReader) throws -> (line: Int, fields: [CSVField])? {
    do {
      return try reader.next()
    } catch let failure as RowFailure {
      throw LineFailure(line: failure.line, failure.message)
    }
  }

  /// The number of bytes that are read, and that there are.
  var progress: (completed: Int, total: Int?) {
    switch source {
    case .csv(let reader, _): (reader.input.count, reader.input.size)
    case .json(let reader): (reader.input.count, reader.input.size)
    }
  }

  /// Returns the next row; nil at the end.
  ///
  /// - Throws: ``LineFailure`` for input that can't be read on; ``RowFailure`` for a row that can't be taken, after which
  ///   the next one can.
  mutating func next() throws -> Record? {
    switch source {
    case .csv(var reader, let header):
      // A record that can't be taken is passed, too.
      defer { source = .csv(reader, header: header) }
      let record = try reader.next()
      guard let record else { return nil }
      guard record.fields.count == header.count else {
        throw RowFailure(
          line: record.line,
          "The line has \(record.fields.count) fields, and the first line names \(header.count) columns.")
      }
      return try self.record(record.line, zip(header, record.fields)) { try $0.value(csv: $1) }
    case .json(var reader):
      defer { source = .json(reader) }
      let element = try reader.next()
      guard let element else { return nil }
      return try record(element.line, try Self.object(element.text, element.line, table))
    }
  }

  private static func object(_ text: String, _ line: Int, _ table: TransferredTable) throws -> Document {
    let value: DocumentValue
    do {
      value = try DocumentValue(json: text)
    } catch let error as StoreError {
      throw RowFailure(line: line, error.message)
    }
    guard let object = value.object else { throw RowFailure(line: line, "The value isn't an object.") }
    return object
  }

  private func record(_ line: Int, _ object: Document) throws -> Record {
    guard table.isCollection, !isTransferred(object) else {
      return try record(line, object.lazy.map { ($0.name, $0.value) }) { try $0.value(json: $1) }
    }
    // An object as any program writes it, with its key in it.
    guard let key = object[TransferredTable.key]?.text else {
      throw RowFailure(line: line, "The object has no text called key, under which it could be stored. Give it one.")
    }
    do {
      return Record(
        line: line,
        values: [
          TransferredTable.key: .text(key), TransferredTable.document: .text(try DocumentValue.object(object).json()),
        ],
        expires: nil)
    } catch let error as StoreError {
      throw RowFailure(line: line, error.message)
    }
  }

  /// Returns whether an object is a document as the export writes it.
  private func isTransferred(_ object: Document) -> Bool {
    object[TransferredTable.document]?.object != nil
      && object.names.allSatisfy { name in table.columns.contains { $0.name == name } }
  }

  private func record<Field>(
    _ line: Int, _ fields: some Sequence<(String, Field)>, _ decode: (ColumnCoding, Field) throws -> Value
  ) throws -> Record {
    var record = Record(line: line, values: [:], expires: nil)
    for (name, field) in fields where !ignored.contains(name) {
      guard let coding = codings[name] else { throw unknown(name, line) }
      do {
        let value = try decode(coding, field)
        if case .date = coding.form {
          record.namesExpiry = true
          record.expires = value.real.map { Date(timeIntervalSinceReferenceDate: $0) }
        } else {
          record.values[name] = value
        }
      } catch let error as StoreError {
        throw RowFailure(line: line, error.message)
      } catch let error as Failure {
        throw RowFailure(line: line, error.description)
      }
    }
    return record
  }

  private func unknown(_ name: String, _ line: Int) -> RowFailure {
    let names = table.columns.map(\.name).joined(separator: ", ")
    return RowFailure(line: line, "\(table.description.title) has no property \(name). It has \(names).")
  }
}

/// Why a row can't be taken.
struct RowFailure: Error {
  let line: Int
  let message: String

  init(line: Int, _ message: String) {
    self.line = line
    self.message = message
  }
}
