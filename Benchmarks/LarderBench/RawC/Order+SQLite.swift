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

  /// Binds all properties to the parameters 1 to 14 while the closure runs.
  ///
  /// The codes of the bind functions are not looked at: they report a wrong parameter number or a text of more than a
  /// gigabyte.
  @inline(__always)
  func withValues<Result>(boundTo statement: OpaquePointer, _ body: () throws -> Result) rethrows -> Result {
    sqlite3_bind_int64(statement, 1, Int64(orderID))
    bindInteger(employeeID, to: statement, 3)
    bindDate(orderDate, to: statement, 4)
    bindDate(requiredDate, to: statement, 5)
    bindDate(shippedDate, to: statement, 6)
    bindInteger(shipVia, to: statement, 7)
    sqlite3_bind_double(statement, 8, freight)
    return try withTexts(boundTo: statement, body)
  }

  @inline(__always)
  private func withTexts<Result>(boundTo statement: OpaquePointer, _ body: () throws -> Result) rethrows -> Result {
    try withText(customerID, boundTo: statement, 2) {
      try withText(shipName, boundTo: statement, 9) {
        try withText(shipAddress, boundTo: statement, 10) {
          try withText(shipCity, boundTo: statement, 11) {
            try withText(shipRegion, boundTo: statement, 12) {
              try withText(shipPostalCode, boundTo: statement, 13) {
                try withText(shipCountry, boundTo: statement, 14, body)
              }
            }
          }
        }
      }
    }
  }
}

/// Reads a column of a STRICT table, whose values are integers or NULL. SQLite reads NULL as 0, so only 0 is asked for its kind.
@inline(__always)
private func integer(_ row: OpaquePointer, _ column: Int32) -> Int? {
  let value = sqlite3_column_value(row, column)
  let number = sqlite3_value_int64(value)
  if number == 0, sqlite3_value_type(value) == SQLITE_NULL { return nil }
  return Int(number)
}

@inline(__always)
private func date(_ row: OpaquePointer, _ column: Int32) -> Date? {
  let value = sqlite3_column_value(row, column)
  let seconds = sqlite3_value_double(value)
  if seconds == 0, sqlite3_value_type(value) == SQLITE_NULL { return nil }
  return Date(timeIntervalSinceReferenceDate: seconds)
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
