extension UnsafeRawBufferPointer {
  /// Returns the number at an offset. The caller has checked that it ends inside the buffer.
  func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns a number of 1 to 8 bytes. The caller has checked that it ends inside the buffer.
  func bigEndian(width: Int, at offset: Int) -> UInt64 {
    var number: UInt64 = 0
    for byte in self[offset..<offset + width] { number = number << 8 | UInt64(byte) }
    return number
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
