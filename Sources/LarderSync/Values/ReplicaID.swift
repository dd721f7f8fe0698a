public import Foundation

/// The identifier of a replica: 16 random bytes.
///
/// A replica is one file that takes part in sync. A copy of the file is another replica.
public struct ReplicaID: Sendable, Hashable, Codable {
  /// The number of bytes of every identifier.
  public static let byteCount = 16

  private let high: UInt64
  private let low: UInt64

  /// Creates a random identifier.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Creates an identifier from a source of randomness.
  ///
  /// - Parameter generator: The source.
  public init(using generator: inout some RandomNumberGenerator) {
    high = generator.next()
    low = generator.next()
  }

  /// Creates the identifier with these bytes.
  ///
  /// - Parameter bytes: The bytes, of which there must be 16.
  /// - Returns: nil for another number of bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    func number(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    high = number(bytes.prefix(8))
    low = number(bytes.dropFirst(8))
  }

  /// The 16 bytes.
  public var bytes: Data {
    var data = Data(capacity: Self.byteCount)
    for part in [high, low] {
      for shift in [56, 48, 40, 32, 24, 16, 8, 0] { data.append(UInt8(truncatingIfNeeded: part >> shift)) }
    }
    return data
  }
}

extension ReplicaID: Comparable {
  /// Compares the bytes.
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension ReplicaID: CustomStringConvertible {
  /// The bytes in hexadecimal.
  public var description: String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
