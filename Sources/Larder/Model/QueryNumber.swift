public import Foundation

/// A number type that the database can compute with: `$0.price * 2`.
///
/// Integers are computed exactly with 64 bits. On overflow the query throws ``StoreError`` `.invalidValue`; SQLite
/// itself would continue with a real number. Division by zero is NULL, which no comparison matches.
public protocol QueryNumber: StoredValue {}

extension Int: QueryNumber {}
extension Int8: QueryNumber {}
extension Int16: QueryNumber {}
extension Int32: QueryNumber {}
extension Int64: QueryNumber {}
extension UInt8: QueryNumber {}
extension UInt16: QueryNumber {}
extension UInt32: QueryNumber {}
extension UInt: QueryNumber {}
extension UInt64: QueryNumber {}
extension Double: QueryNumber {}
extension Float: QueryNumber {}
extension Decimal: QueryNumber {}
extension Optional: QueryNumber where Wrapped: QueryNumber {}

/// An integer type of fewer than 64 bits, whose sums are of type `Int`.
public protocol QuerySmallInteger: QueryNumber, FixedWidthInteger {}

extension Int8: QuerySmallInteger {}
extension Int16: QuerySmallInteger {}
extension Int32: QuerySmallInteger {}
extension UInt8: QuerySmallInteger {}
extension UInt16: QuerySmallInteger {}
extension UInt32: QuerySmallInteger {}
