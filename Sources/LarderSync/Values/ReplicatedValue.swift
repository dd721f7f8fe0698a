public import Foundation

/// A value of a column as it travels between replicas: bit for bit, with its storage class.
///
/// Text is kept as bytes, because SQLite doesn't check that it is valid UTF-8. Two reals are equal if their bits are.
public enum ReplicatedValue: Sendable, Codable {
  /// No value.
  case null
  /// A 64-bit signed integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// The bytes of a text.
  case text(Data)
  /// Bytes.
  case blob(Data)
}

extension ReplicatedValue: Hashable {
  public static func == (left: ReplicatedValue, right: ReplicatedValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .null: break
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value), .blob(let value): hasher.combine(value)
    }
  }

  /// The place of the storage class in the order of values.
  private var rank: Int {
    switch self {
    case .null: 0
    case .integer: 1
    case .real: 2
    case .text: 3
    case .blob: 4
    }
  }
}

extension ReplicatedValue: Comparable {
  /// A total order, for decisions that every replica must make in the same way. It isn't the order of SQLite.
  public static func < (left: ReplicatedValue, right: ReplicatedValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left.bitPattern < right.bitPattern
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.withUnsafeBytes { left in right.withUnsafeBytes { left.lexicographicallyPrecedes($0) } }
    default: left.rank < right.rank
    }
  }
}
