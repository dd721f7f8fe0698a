/// The rules for names of packages and parts, which make sure that no name is a path that leads elsewhere.
enum PartName {
  /// The largest number of components: the folders of a part, and its own name.
  static let mostComponents = 16

  /// Throws ``ArchiveError`` `.invalidName` for a name that is empty, longer than 200 bytes, begins with a point, or
  /// contains a slash, a backslash, a colon or a control character. The length leaves space in the 255 bytes that file
  /// systems allow.
  static func check(_ name: String) throws {
    guard isName(name.utf8[...]) else {
      throw ArchiveError(
        .invalidName,
        "A name has 1 to 200 bytes, does not begin with a point, and has no slash, backslash, colon or control character. Choose another one."
      )
    }
  }

  /// Throws ``ArchiveError`` `.invalidName` unless the text consists of 1 to 16 names separated by slashes.
  static func checkPart(_ path: String) throws {
    let components = path.utf8.split(
      separator: UInt8(ascii: "/"), maxSplits: mostComponents, omittingEmptySubsequences: false)
    guard components.count <= mostComponents, components.allSatisfy(isName) else {
      throw ArchiveError(
        .invalidName,
        "A part has a name of 1 to 200 bytes, and up to 15 names of folders before it, with slashes between them. "
          + "None begins with a point or has a backslash, colon or control character. Choose another one.")
    }
  }

  private static func isName(_ bytes: Substring.UTF8View) -> Bool {
    !bytes.isEmpty && bytes.count <= 200 && bytes.first != UInt8(ascii: ".") && !bytes.contains(where: isForbidden)
  }

  private static func isForbidden(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: ":")
  }
}
