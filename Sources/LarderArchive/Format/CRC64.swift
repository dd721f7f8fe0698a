/// The checksum of archives: CRC-64/XZ, which detects every burst error of up to 64 bits, and misses other damage with
/// a probability of 2⁻⁶⁴.
///
/// A cryptographic hash wouldn't protect better: an attacker who can forge the bytes can forge a hash without a key.
/// The allow-list, the limits and the validation of the structure protect against attackers. Source of polynomial and
/// parameters: ECMA-182 and the XZ file format 1.1.0, section 1.2; the method of eight tables is "slicing-by-8" of
/// Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based CRC Generators", 2005.
package struct CRC64: Sendable {
  private var register = ~UInt64(0)

  package init() {}

  package var value: UInt64 { ~register }

  /// Adds bytes to the checksum; O(count), about eight bytes at a time.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = Self.tables.withUnsafeBufferPointer { table in
      var crc = register
      var offset = 0
      while offset + 8 <= bytes.count {
        let mixed = crc ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        crc =
          table[7 * 256 + Int(mixed & 0xff)] ^ table[6 * 256 + Int((mixed >> 8) & 0xff)]
          ^ table[5 * 256 + Int((mixed >> 16) & 0xff)]
          ^ table[4 * 256 + Int((mixed >> 24) & 0xff)]
        crc ^=
          table[3 * 256 + Int((mixed >> 32) & 0xff)] ^ table[2 * 256 + Int((mixed >> 40) & 0xff)]
          ^ table[256 + Int((mixed >> 48) & 0xff)]
          ^ table[Int(mixed >> 56)]
        offset += 8
      }
      while offset < bytes.count {
        crc = table[Int((crc ^ UInt64(bytes[offset])) & 0xff)] ^ (crc >> 8)
        offset += 1
      }
      return crc
    }
  }

  package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var crc = CRC64()
    if bytes.withContiguousStorageIfAvailable({ crc.update(UnsafeRawBufferPointer($0)) }) == nil {
      Array(bytes).withUnsafeBytes { crc.update($0) }
    }
    return crc.value
  }

  private static let tables: [UInt64] = {
    let polynomial: UInt64 = 0xc96c_5795_d787_0f42
    var tables = [UInt64](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      var crc = UInt64(index)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ polynomial : crc >> 1 }
      tables[index] = crc
    }
    for index in 0..<256 {
      for slice in 1..<8 {
        let previous = tables[(slice - 1) * 256 + index]
        tables[slice * 256 + index] = tables[Int(previous & 0xff)] ^ (previous >> 8)
      }
    }
    return tables
  }()
}
