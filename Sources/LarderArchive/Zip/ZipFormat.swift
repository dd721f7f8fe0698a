/// The constants of the zip format, and little-endian reading and writing.
///
/// Source: PKWARE's APPNOTE.TXT, version 6.3.10; sections are named where they are used.
enum ZipFormat {
  /// 4.3.7
  static let localHeader: UInt32 = 0x0403_4b50
  static let localHeaderSize = 30
  /// 4.3.9
  static let descriptor: UInt32 = 0x0807_4b50
  /// 4.3.12
  static let directoryEntry: UInt32 = 0x0201_4b50
  static let directoryEntrySize = 46
  /// 4.3.14
  static let zip64End: UInt32 = 0x0606_4b50
  static let zip64EndSize = 56
  /// 4.3.15
  static let zip64Locator: UInt32 = 0x0706_4b50
  static let zip64LocatorSize = 20
  /// 4.3.16
  static let end: UInt32 = 0x0605_4b50
  static let endSize = 22

  /// The placeholder for a number that is in the extra field for large files (4.5.3).
  static let large32 = UInt32.max
  static let large16 = UInt16.max
  /// The tag of that extra field.
  static let largeTag: UInt16 = 0x0001
  /// The tag of the extra field with another name in UTF-8 (4.6.9).
  static let nameTag: UInt16 = 0x7075

  /// 4.4.5
  static let stored: UInt16 = 0
  static let deflated: UInt16 = 8

  /// 4.4.4
  enum Flag {
    static let hasDescriptor: UInt16 = 1 << 3
    static let isUTF8: UInt16 = 1 << 11
    /// Bit 0 is encryption, bit 6 strong encryption, and bit 13 hides the local headers of encrypted directories.
    static let isEncrypted: UInt16 = 1 << 0 | 1 << 6 | 1 << 13
    /// Besides these, bits 1 and 2 are the compression level.
    static let known: UInt16 = hasDescriptor | isUTF8 | 1 << 1 | 1 << 2
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the number at an offset. The caller has checked that it ends inside the buffer.
  func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
