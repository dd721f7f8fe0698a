import Foundation
import Larder

extension Change {
  /// Applies the change, and returns what the verb says in numbers.
  func apply(to db: some StoreWriter) throws -> Int {
    switch self {
    case .shelves(let verb, let rows): return try Self.write(verb, rows, db)
    case .books(let verb, let rows): return try Self.write(verb, rows, db)
    case .authors(let verb, let rows): return try Self.write(verb, rows, db)
    case .agencies(let verb, let rows): return try Self.write(verb, rows, db)
    case .labels(let verb, let rows): return try Self.write(verb, rows, db)
    case .delete(.shelf, let ids): return try Self.delete(ids.map { LibraryShelf(id: $0, name: "") }, db)
    case .delete(.book, let ids):
      return try Self.delete(ids.map { LibraryBook(id: $0, title: "", pages: 0, price: 0, shelf: ToOne(0)) }, db)
    case .delete(.author, let ids): return try Self.delete(ids.map { LibraryAuthor(id: $0, name: "") }, db)
    case .delete(.agency, let ids): return try Self.delete(ids.map { LibraryAgency(id: $0, name: "") }, db)
    case .deleteLabel(let id): return try db.delete(LibraryLabel.self, id) ? 1 : 0
    case .updateAll(let selection, let assignment):
      return try db.updateAll(selection.query) { assignment.apply(to: $0) }
    case .deleteAll(let selection): return try db.deleteAll(selection.query)
    case .link(let book, let labels): try db.link(book, \.labels, labels)
    case .unlink(let book, let label): return try db.unlink(book, \.labels, label) ? 1 : 0
    case .setLinks(let book, let labels): try db.setLinks(book, \.labels, labels)
    case .sql(let pages): try db.sql("update \(LibraryBook.self) set isRead = 1 - isRead where pages > \(pages)")
    case .pass(let pass, let date): try db.save(pass, expires: date.map { Date(timeIntervalSinceReferenceDate: $0) })
    case .deletePass(let id): return try db.delete(LibraryPass.self, id) ? 1 : 0
    case .setExpiry(let id, let date):
      return try db.setExpiry(of: LibraryPass.self, id, to: date.map { Date(timeIntervalSinceReferenceDate: $0) })
        ? 1 : 0
    case .documents(let entries, let date):
      try db.documents("papers").save(keyed: entries, expires: date.map { Date(timeIntervalSinceReferenceDate: $0) })
    case .updateDocument(let key, let changes): try db.documents("papers").update(key, changes)
    case .deleteDocument(let key): return try db.documents("papers").delete(key) ? 1 : 0
    case .deleteDocuments(let limit):
      return try db.documents("papers").deleteAll(
        where: [Condition("number", .lessThan, limit)], validatesProperties: false)
    }
    return 0
  }

  private static func write<M: Model>(_ verb: Verb, _ rows: [M], _ db: some StoreWriter) throws -> Int {
    // One row is another path than several.
    if rows.count == 1 {
      switch verb {
      case .insert: try db.insert(rows[0])
      case .save: try db.save(rows[0])
      case .update: try db.update(rows[0])
      }
    } else {
      switch verb {
      case .insert: try db.insert(rows)
      case .save: try db.save(rows)
      case .update: try db.update(rows)
      }
    }
    return 0
  }

  private static func delete<M: Model>(_ rows: [M], _ db: some StoreWriter) throws -> Int {
    rows.count == 1 ? try db.delete(rows[0]) ? 1 : 0 : try db.delete(rows)
  }

  /// Applies the change with the store's asynchronous verbs, or in a transaction where there is none.
  func apply(to store: Store) async throws -> Int {
    switch self {
    case .shelves(let verb, let rows): try await Self.write(verb, rows, store)
    case .books(let verb, let rows): try await Self.write(verb, rows, store)
    case .authors(let verb, let rows): try await Self.write(verb, rows, store)
    case .agencies(let verb, let rows): try await Self.write(verb, rows, store)
    case .labels(let verb, let rows): try await Self.write(verb, rows, store)
    case .deleteLabel(let id): return try await store.delete(LibraryLabel.self, id) ? 1 : 0
    case .updateAll(let selection, let assignment):
      return try await store.updateAll(selection.query) { assignment.apply(to: $0) }
    case .deleteAll(let selection): return try await store.deleteAll(selection.query)
    case .deletePass(let id): return try await store.delete(LibraryPass.self, id) ? 1 : 0
    case .documents(let entries, let date):
      try await store.documents("papers").save(
        keyed: entries, expires: date.map { Date(timeIntervalSinceReferenceDate: $0) })
    case .updateDocument(let key, let changes): try await store.documents("papers").update(key, changes)
    case .deleteDocument(let key): return try await store.documents("papers").delete(key) ? 1 : 0
    default: return try await store.write { try apply(to: $0) }
    }
    return 0
  }

  private static func write<M: Model>(_ verb: Verb, _ rows: [M], _ store: Store) async throws {
    if rows.count == 1 {
      switch verb {
      case .insert: try await store.insert(rows[0])
      case .save: try await store.save(rows[0])
      case .update: try await store.update(rows[0])
      }
    } else {
      switch verb {
      case .insert: try await store.insert(rows)
      case .save: try await store.save(rows)
      case .update: try await store.update(rows)
      }
    }
  }
}

extension Change.Assignment {
  func apply(to book: Assignments<LibraryBook>) {
    switch self {
    case .addPages: book.pages.increment(by: 3)
    case .negatePages: book.pages.multiply(by: -1)
    case .markRead: book.isRead.set(true)
    case .rename: book.title.set("map")
    case .forgetAuthor: book.author.set(nil)
    case .raisePrice: book.price.increment(by: Decimal(1) / 4)
    }
  }
}
