/// The extra fields of an entry (4.5).
struct ZipExtra {
  /// The field for large files, and the field with another name.
  private(set) var large: [UInt8]?
  private(set) var name: [UInt8]?

  /// - Returns: Nil if a field ends beyond the end, or one of these two occurs twice.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset < bytes.count {
      // Some programs pad with fewer than four zeros.
      guard offset + 4 <= bytes.count else {
        guard bytes[offset...].allSatisfy({ $0 == 0 }) else { return nil }
        return
      }
      let tag = bytes.littleEndian(UInt16.self, at: offset)
      let size = Int(bytes.littleEndian(UInt16.self, at: offset + 2))
      guard offset + 4 + size <= bytes.count else { return nil }
      let content = [UInt8](bytes[offset + 4..<offset + 4 + size])
      switch tag {
      case ZipFormat.largeTag:
        guard large == nil else { return nil }
        large = content
      case ZipFormat.nameTag:
        guard name == nil else { return nil }
        name = content
      default: break
      }
      offset += 4 + size
    }
  }

  /// Takes the next eight bytes of the field for large files if the header has the placeholder.
  mutating func resolve(_ number: UInt32) -> UInt64? {
    guard number == ZipFormat.large32, let field = large else { return UInt64(number) }
    guard field.count >= 8 else { return nil }
    large = Array(field.dropFirst(8))
    return field.withUnsafeBytes { $0.littleEndian(UInt64.self, at: 0) }
  }

  /// Returns whether the other name, if there is one, equals this one.
  func agrees(with name: [UInt8]) -> Bool {
    // A version, a checksum of the name in the header, and the name.
    guard let field = self.name, field.count >= 5, field[0] == 1 else { return true }
    return field.dropFirst(5).elementsEqual(name)
  }
}
