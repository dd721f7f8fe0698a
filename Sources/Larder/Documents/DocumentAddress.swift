/// Which document of a file: its collection and its key, equal as the file takes them for equal.
///
/// Keys are compared byte by byte, and the names of collections whatever the case of the letters A to Z, as SQLite compares the names of tables.
struct DocumentAddress: Sendable, Hashable {
  let collection: String
  let key: String

  init(_ collection: String, _ key: String) {
    self.collection = collection
    self.key = key
  }

  static func == (left: DocumentAddress, right: DocumentAddress) -> Bool {
    left.key.utf8.elementsEqual(right.key.utf8) && foldedName(left.collection).utf8.elementsEqual(foldedName(right.collection).utf8)
  }

  func hash(into hasher: inout Hasher) {
    Self.hash(key, into: &hasher)
    Self.hash(Self.foldedName(collection), into: &hasher)
  }

  /// What the names of a collection have in common.
  static func foldedName(_ name: String) -> String { name.asciiLowercased }

  /// Hashes the bytes of a text, so that texts that only Swift takes for equal are apart.
  static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}
