/// Which document of a file: its collection and its key, equal where the file takes them for equal.
struct DocumentAddress: Sendable, Hashable {
  let collection: String
  let key: String

  init(_ collection: String, _ key: String) {
    self.collection = collection
    self.key = key
  }

  static func == (left: DocumentAddress, right: DocumentAddress) -> Bool {
    ExactText(left.key) == ExactText(right.key) && ExactText(left.collection.foldedTableName) == ExactText(right.collection.foldedTableName)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(key))
    hasher.combine(ExactText(collection.foldedTableName))
  }
}
