import Foundation
import Larder

/// The same work as ``DocumentsRawC`` in a collection of documents.
struct DocumentsLarder {
  private let store: Store
  private let path: String

  init(path: String) throws {
    self.path = path
    store = try Store(at: path)
  }

  private var people: BlockingDocuments<BlockingStore, DocumentPerson> {
    store.blocking.documents("people", of: DocumentPerson.self)
  }

  func clear() throws {
    try people.deleteAll()
    try RawConnection(path: path).emptyLog()
  }

  func index() throws { try people.index(on: "age") }

  func insert(_ values: [(key: String, value: DocumentPerson)]) throws { try people.save(keyed: values) }

  func insert(texts: [(key: String, value: String)]) throws { try people.save(json: texts) }

  func fetchAll() throws -> [DocumentPerson] { try people.fetch().map(\.value) }

  func texts(_ keys: [String]) throws -> [String] {
    try store.blocking.read { db in
      let people = db.documents("people")
      return try keys.map { try people.json($0) ?? "" }
    }
  }

  func keys(age: Int, isMember: Bool) throws -> [String] {
    try people.keys { $0.age == age && $0.isMember == isMember }
  }
}
