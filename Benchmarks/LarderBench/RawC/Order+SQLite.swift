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

  /// Binds all properties to the parameters 1 to 14.
  ///
  /// The codes of the bind functions are not looked at: they report a wrong parameter number or a text of more than a
  /// gigabyte.
  @inline(__always)
  func bind(to statement: OpaquePointer) {
    sqlite3_bind_int64(statement, 1, Int64(orderID))
    bindText(customerID, to: statement, 2)
    bindInteger(employeeID, to: statement, 3)
    bindDate(orderDate, to: statement, 4)
    bindDate(requiredDate, to: statement, 5)
    bindDate(shippedDate, to: statement, 6)
    bindInteger(shipVia, to: statement, 7)
    sqlite3_bind_double(statement, 8, freight)
    bindText(shipName, to: statement, 9)
    bindText(shipAddress, to: statement, 10)
    bindText(shipCity, to: statement, 11)
    bindText(shipRegion, to: statement, 12)
    bindText(shipPostalCode, to: statement, 13)
    bindText(shipCountry, to: statement, 14)
  }
}

@inline(__always)
func text(_ row: OpaquePointer, _ column: Int32) -> String? {
  guard let bytes = sqlite3_column_text(row, column) else { return nil }
  return String(
    decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(row, column))), as: UTF8.self)
}

@inline(__always)
private func integer(_ row: OpaquePointer, _ column: Int32) -> Int? {
  sqlite3_column_type(row, column) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(row, column))
}

@inline(__always)
private func date(_ row: OpaquePointer, _ column: Int32) -> Date? {
  sqlite3_column_type(row, column) == SQLITE_NULL
    ? nil : Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, column))
}

/// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

@inline(__always)
func bindText(_ value: String?, to statement: OpaquePointer, _ parameter: Int32) {
  guard var value else {
    sqlite3_bind_null(statement, parameter)
    return
  }
  value.withUTF8 { bytes in
    _ = bytes.withMemoryRebound(to: CChar.self) { characters in
      sqlite3_bind_text(statement, parameter, characters.baseAddress, Int32(characters.count), transient)
    }
  }
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
