/// The collection and key of a document, equal if they are equal in the file.
struct DocumentAddress: Sendable, Hashable {
  let collection: String
  let key: String

  init(_ collection: String, _ key: String) {
    self.collection = collection
    self.key = key
  }

  static func == (left: DocumentAddress, right: DocumentAddress) -> Bool {
    ExactText(left.key) == ExactText(right.key)
      && ExactText(left.collection.foldedTableName) == ExactText(right.collection.foldedTableName)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(key))
    hasher.combine(ExactText(collection.foldedTableName))
  }
}
