import Foundation
import Larder

/// One model for each type that a column keeps as it is.
enum Scalars {
  @Model
  struct BoolRow: SampleRow {
    var id: Int
    var value: Bool
    var maybe: Bool?
  }

  @Model
  struct IntRow: SampleRow {
    var id: Int
    var value: Int
    var maybe: Int?
  }

  @Model
  struct Int8Row: SampleRow {
    var id: Int
    var value: Int8
    var maybe: Int8?
  }

  @Model
  struct Int16Row: SampleRow {
    var id: Int
    var value: Int16
    var maybe: Int16?
  }

  @Model
  struct Int32Row: SampleRow {
    var id: Int
    var value: Int32
    var maybe: Int32?
  }

  @Model
  struct Int64Row: SampleRow {
    var id: Int
    var value: Int64
    var maybe: Int64?
  }

  @Model
  struct UIntRow: SampleRow {
    var id: Int
    var value: UInt
    var maybe: UInt?
  }

  @Model
  struct UInt8Row: SampleRow {
    var id: Int
    var value: UInt8
    var maybe: UInt8?
  }

  @Model
  struct UInt16Row: SampleRow {
    var id: Int
    var value: UInt16
    var maybe: UInt16?
  }

  @Model
  struct UInt32Row: SampleRow {
    var id: Int
    var value: UInt32
    var maybe: UInt32?
  }

  @Model
  struct UInt64Row: SampleRow {
    var id: Int
    var value: UInt64
    var maybe: UInt64?
  }

  @Model
  struct DoubleRow: SampleRow {
    var id: Int
    var value: Double
    var maybe: Double?
  }

  @Model
  struct FloatRow: SampleRow {
    var id: Int
    var value: Float
    var maybe: Float?
  }

  @Model
  struct StringRow: SampleRow {
    var id: Int
    var value: String
    var maybe: String?
  }

  @Model
  struct DataRow: SampleRow {
    var id: Int
    var value: Data
    var maybe: Data?
  }

  @Model
  struct DateRow: SampleRow {
    var id: Int
    var value: Date
    var maybe: Date?
  }

  @Model
  struct UUIDRow: SampleRow {
    var id: Int
    var value: UUID
    var maybe: UUID?
  }

  @Model
  struct DecimalRow: SampleRow {
    var id: Int
    var value: Decimal
    var maybe: Decimal?
  }

  @Model
  struct URLRow: SampleRow {
    var id: Int
    var value: URL
    var maybe: URL?
  }
}
