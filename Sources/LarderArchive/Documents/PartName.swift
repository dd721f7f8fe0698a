/// The rules for names of documents and parts, so that none is ever a path.
enum PartName {
  /// Throws ``ArchiveError`` `.invalidName` for a name that is empty, longer than 200 bytes, begins with a point, or has a slash, a backslash, a colon or a control
  /// character in it. The length leaves room in the 255 bytes that file systems give a name.
  static func check(_ name: String) throws {
    let bytes = name.utf8
    let isForbidden: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ":") }
    guard !bytes.isEmpty, bytes.count <= 200, bytes.first != UInt8(ascii: "."), !bytes.contains(where: isForbidden) else {
      throw ArchiveError(
        .invalidName,
        "A name has 1 to 200 bytes, does not begin with a point, and has no slash, backslash, colon or control character. Choose another one.")
    }
  }
}
