import Foundation
import Larder

/// What a store must hold, in plain Swift.
struct World: Sendable, Equatable, Codable {
  struct Pass: Sendable, Equatable, Codable {
    var value: Int
    var expires: Double?
  }

  struct Paper: Sendable, Equatable {
    var document: Document
    var expires: Double?
  }

  /// A row that has expired, and is there again when the clock goes back.
  struct Hidden<Row: Sendable & Equatable & Codable>: Sendable, Equatable, Codable {
    var row: Row
    /// Whether a clock that leapt hides it, by which nothing is deleted at once; others may have been deleted.
    var isKept: Bool
  }

  /// The rows, without what is derived.
  var shelves: [Int: LibraryShelf] = [:]
  var books: [Int: LibraryBook] = [:]
  var authors: [Int: LibraryAuthor] = [:]
  var agencies: [Int: LibraryAgency] = [:]
  var labels: Set<String> = []
  /// The labels of each book, in their order.
  var links: [Int: [String]] = [:]
  var passes: [Int: Pass] = [:]
  var papers: [String: Paper] = [:]
  var hiddenPasses: [Int: Hidden<Pass>] = [:]
  var hiddenPapers: [String: Hidden<Paper>] = [:]
  var gadgets: [Int: GadgetRow] = [:]
  var once: Set<String> = []

  /// Whether a row refers to one that is not there.
  var isDangling: Bool {
    books.values.contains { shelves[$0.shelf.id] == nil || $0.author.map { authors[$0.id] == nil } ?? false }
      || authors.values.contains { $0.agency.map { agencies[$0.id] == nil } ?? false }
  }

  // MARK: With what is derived

  func shelf(_ id: Int) -> LibraryShelf? {
    guard var shelf = shelves[id] else { return nil }
    let books = books.values.filter { $0.shelf.id == id }
    shelf.pages = books.reduce(0) { $0 + $1.pages }
    shelf.count = books.count
    shelf.dearest = books.map(\.price).max()
    return shelf
  }

  func label(_ id: String) -> LibraryLabel {
    LibraryLabel(id: id, uses: links.values.count { $0.contains(id) })
  }

  // MARK: Deleting

  mutating func remove(book id: Int) {
    books[id] = nil
    links[id] = nil
  }

  mutating func remove(shelf id: Int) {
    shelves[id] = nil
    for book in books.values where book.shelf.id == id { remove(book: book.id) }
  }

  mutating func remove(author id: Int) {
    authors[id] = nil
    for key in books.keys where books[key]?.author?.id == id { books[key]?.author = nil }
  }

  mutating func remove(label id: String) {
    labels.remove(id)
    for key in links.keys { links[key]?.removeAll { $0 == id } }
  }
}

extension World {
  /// What a reader says, without what has to be asked in other ways.
  init(reading db: some StoreReader, _ version: GadgetVersion) throws {
    for shelf in try db.fetch(LibraryShelf.all) { shelves[shelf.id] = shelf }
    for book in try db.fetch(LibraryBook.all.including(\.labels)) {
      links[book.id] = (book.labels.loaded ?? []).map(\.id)
      books[book.id] = book
    }
    for author in try db.fetch(LibraryAuthor.all) { authors[author.id] = author }
    for agency in try db.fetch(LibraryAgency.all) { agencies[agency.id] = agency }
    labels = Set(try db.fetch(LibraryLabel.all).map(\.id))
    for pass in try db.fetch(LibraryPass.all) {
      let date = try db.expiry(of: LibraryPass.self, pass.id)
      passes[pass.id] = Pass(value: pass.value, expires: date?.timeIntervalSinceReferenceDate)
    }
    let documents = db.documents("papers")
    for entry in try documents.fetch() {
      papers[entry.key] = Paper(
        document: entry.value, expires: try documents.expiry(of: entry.key)?.timeIntervalSinceReferenceDate)
    }
    gadgets = try version.all(in: db)
  }

  /// As a reader says it: with what is derived, and without what cannot be read.
  func readable(_ version: GadgetVersion) -> World {
    var world = self
    for id in shelves.keys { world.shelves[id] = shelf(id) }
    for id in books.keys { world.links[id] = links[id] ?? [] }
    for id in gadgets.keys {
      if version == .first { world.gadgets[id]?.color = "red" }
      if version != .third { world.gadgets[id]?.remark = nil }
    }
    world.once = []
    world.forgetHidden()
    return world
  }

  /// The first difference of each kind.
  func difference(to seen: World) -> String {
    var parts: [String] = []
    func compare<Key: Comparable & Hashable, Value: Equatable>(
      _ name: String, _ mine: [Key: Value], _ theirs: [Key: Value]
    ) {
      for key in Set(mine.keys).union(theirs.keys).sorted() where mine[key] != theirs[key] {
        let (expected, found) = (mine[key].map { "\($0)" } ?? "none", theirs[key].map { "\($0)" } ?? "none")
        return parts.append("\(name) \(key) is \(found) instead of \(expected)")
      }
    }
    compare("shelf", shelves, seen.shelves)
    compare("book", books, seen.books)
    compare("author", authors, seen.authors)
    compare("agency", agencies, seen.agencies)
    compare("labels of book", links, seen.links)
    compare("pass", passes, seen.passes)
    compare("document", papers, seen.papers)
    compare("gadget", gadgets, seen.gadgets)
    if labels != seen.labels { parts.append("labels are \(seen.labels.sorted()) instead of \(labels.sorted())") }
    return parts.joined(separator: "; ")
  }
}
