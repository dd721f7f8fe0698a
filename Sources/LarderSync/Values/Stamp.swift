public import Foundation

/// The time of a write by a hybrid logical clock, and the replica that wrote.
///
/// Stamps are totally ordered, and no two writes have the same one. A write that knows of another has the greater stamp,
/// whatever the clocks of the devices say.
///
/// Source: Kulkarni and others, "Logical Physical Clocks and Consistent Snapshots in Globally Distributed Databases",
/// 2014.
public struct Stamp: Sendable, Hashable, Codable {
  /// The greatest number of milliseconds: 47 bits, so that ``time`` is never negative as a signed integer.
  public static let greatestMilliseconds: UInt64 = 1 << 47 - 1

  /// The milliseconds since 1970 in the upper 48 bits, and the counter in the lower 16.
  public let time: Int64
  /// The replica that wrote.
  public let replica: ReplicaID

  /// Creates a stamp from a packed time.
  ///
  /// - Parameters:
  ///   - time: The milliseconds since 1970, times 65,536, plus the counter. Not negative.
  ///   - replica: The replica that wrote.
  /// - Returns: nil for a negative time.
  public init?(time: Int64, replica: ReplicaID) {
    guard time >= 0 else { return nil }
    self.time = time
    self.replica = replica
  }

  /// Creates a stamp.
  ///
  /// - Parameters:
  ///   - milliseconds: The milliseconds since 1970, at most ``greatestMilliseconds``.
  ///   - counter: The number of the write within the millisecond.
  ///   - replica: The replica that wrote.
  /// - Returns: nil for too many milliseconds.
  public init?(milliseconds: UInt64, counter: UInt16, replica: ReplicaID) {
    guard milliseconds <= Self.greatestMilliseconds else { return nil }
    time = Int64(milliseconds << 16 | UInt64(counter))
    self.replica = replica
  }

  /// The milliseconds since 1970.
  public var milliseconds: UInt64 { UInt64(time) >> 16 }
  /// The number of the write within the millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: time) }
  /// The date of the write by the clock of the replica that wrote.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Stamp: Comparable {
  /// Compares the times, and the replicas of equal times.
  public static func < (left: Stamp, right: Stamp) -> Bool {
    (left.time, left.replica) < (right.time, right.replica)
  }
}
