public import Foundation
import Synchronization

extension UUID {
  /// Returns a new UUID that sorts after every one that this process created before: version 7 of RFC 9562.
  ///
  /// The first 48 bits are the milliseconds since 1970, so that rows inserted in succession are adjacent in the table's
  /// index. The 12 bits after the version count within a millisecond, and so do the milliseconds themselves while the
  /// clock stands still or goes back (RFC 9562, section 6.2, method 1); the other 62 bits are random.
  ///
  /// - Returns: A UUID that is unique without coordination.
  public static func v7() -> UUID {
    v7(milliseconds: UInt64(max(0, Date().timeIntervalSince1970 * 1000)), random: .random(in: .min ... .max))
  }

  /// The milliseconds and the counter of the last UUID of ``v7()``, as one number.
  private static let lastTick = Mutex<UInt64>(0)

  static func v7(milliseconds: UInt64, random: UInt64) -> UUID {
    let tick = lastTick.withLock { last in
      last = max(last + 1, milliseconds << 12)
      return last
    }
    let high = ((tick >> 12) << 16) | 0x7000 | (tick & 0x0FFF)
    let low = (random & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }
}
