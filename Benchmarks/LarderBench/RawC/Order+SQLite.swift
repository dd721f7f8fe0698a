import Foundation
import GRDBSQLite

extension Order {
  /// Reads the row that a statement stands on, whose columns have the order of the properties.
  @inline(__always)
  init(row: OpaquePointer) {
    self.init(
      orderID: Int(sqlite3_column_int64(row, 0)),
      customerID: text(row, 1),
      employeeID: integer(row, 2),
      orderDate: date(row, 3),
      requiredDate: date(row, 4),
      shippedDate: date(row, 5),
      shipVia: integer(row, 6),
      freight: sqlite3_column_double(row, 7),
      shipName: text(row, 8),
      shipAddress: text(row, 9),
      shipCity: text(row, 10),
      shipRegion: text(row, 11),
      shipPostalCode: text(row, 12),
      shipCountry: text(row, 13)
    )
  }

  /// Binds all properties to the parameters 1 to 14. The texts hold until the next call with the same memory.
  ///
  /// The codes of the bind functions are not looked at: they report a wrong parameter number or a text of more than a
  /// gigabyte.
  @inline(__always)
  func bind(to statement: OpaquePointer, _ texts: inout RawTexts) {
    texts.removeAll()
    sqlite3_bind_int64(statement, 1, Int64(orderID))
    texts.bind(customerID, to: statement, 2)
    bindInteger(employeeID, to: statement, 3)
    bindDate(orderDate, to: statement, 4)
    bindDate(requiredDate, to: statement, 5)
    bindDate(shippedDate, to: statement, 6)
    bindInteger(shipVia, to: statement, 7)
    sqlite3_bind_double(statement, 8, freight)
    texts.bind(shipName, to: statement, 9)
    texts.bind(shipAddress, to: statement, 10)
    texts.bind(shipCity, to: statement, 11)
    texts.bind(shipRegion, to: statement, 12)
    texts.bind(shipPostalCode, to: statement, 13)
    texts.bind(shipCountry, to: statement, 14)
  }
}

/// Reads a text. The column is looked up once; its kind is not asked for, because SQLite returns no text for NULL.
@inline(__always)
func text(_ row: OpaquePointer, _ column: Int32) -> String? {
  let value = sqlite3_column_value(row, column)
  guard let bytes = sqlite3_value_text(value) else { return nil }
  return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
}

@inline(__always)
private func integer(_ row: OpaquePointer, _ column: Int32) -> Int? {
  let value = sqlite3_column_value(row, column)
  return sqlite3_value_type(value) == SQLITE_NULL ? nil : Int(sqlite3_value_int64(value))
}

@inline(__always)
private func date(_ row: OpaquePointer, _ column: Int32) -> Date? {
  let value = sqlite3_column_value(row, column)
  return sqlite3_value_type(value) == SQLITE_NULL
    ? nil : Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value))
}

@inline(__always)
private func bindInteger(_ value: Int?, to statement: OpaquePointer, _ parameter: Int32) {
  if let value {
    sqlite3_bind_int64(statement, parameter, Int64(value))
  } else {
    sqlite3_bind_null(statement, parameter)
  }
}

@inline(__always)
private func bindDate(_ value: Date?, to statement: OpaquePointer, _ parameter: Int32) {
  if let value {
    sqlite3_bind_double(statement, parameter, value.timeIntervalSinceReferenceDate)
  } else {
    sqlite3_bind_null(statement, parameter)
  }
}
