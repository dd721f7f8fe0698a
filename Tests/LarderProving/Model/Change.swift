import Foundation
import Larder
import LarderTestSupport

/// One change of a store, as a value: it is applied to a store and to the world that the store is compared with.
enum Change: Sendable {
  enum Verb: Sendable, CaseIterable {
    case insert, save, update
  }

  enum Kind: Sendable, CaseIterable {
    case shelf, book, author, agency
  }

  case shelves(Verb, [LibraryShelf])
  case books(Verb, [LibraryBook])
  case authors(Verb, [LibraryAuthor])
  case agencies(Verb, [LibraryAgency])
  case labels(Verb, [LibraryLabel])
  case delete(Kind, [Int])
  case deleteLabel(String)
  case updateAll(BookSelection, Assignment)
  case deleteAll(BookSelection)
  case link(LibraryBook, [LibraryLabel])
  case unlink(LibraryBook, LibraryLabel)
  case setLinks(LibraryBook, [LibraryLabel])
  case sql(Int)
  case pass(LibraryPass, expires: Double?)
  case deletePass(Int)
  case setExpiry(Int, Double?)
  case documents([(key: String, value: Document)], expires: Double?)
  case updateDocument(String, Document)
  case deleteDocument(String)
  case deleteDocuments(below: Int)

  enum Assignment: Sendable, CaseIterable {
    case addPages, negatePages, markRead, rename, forgetAuthor, raisePrice
  }

  /// Whether only tables change that contexts of the model run use.
  var isOfLibrary: Bool {
    switch self {
    case .pass, .deletePass, .setExpiry, .documents, .updateDocument, .deleteDocument, .deleteDocuments: false
    default: true
    }
  }
}

/// Draws what changes from a world.
struct ChangeSource {
  var random: SplitMix64
  let world: World
  let now: Double

  private mutating func chance(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }
  private mutating func verb() -> Change.Verb { Change.Verb.allCases.randomElement(using: &random) ?? .save }
  private mutating func word() -> String { Library.words.randomElement(using: &random) ?? "red" }
  private mutating func label() -> String { Library.labels.randomElement(using: &random) ?? "a" }

  /// A key that is mostly there.
  private mutating func key<Value>(_ rows: [Int: Value], below limit: Int) -> Int {
    if !chance(4), let key = rows.keys.sorted().randomElement(using: &random) { return key }
    return Int.random(in: 0..<limit, using: &random)
  }

  private mutating func time() -> Double? {
    if chance(3) { return nil }
    // Mostly soon; some after a leap back, and before a leap of a year or after it.
    let limit = chance(3) ? 60_000_000 : 40
    return now + Double(Int.random(in: -3...limit, using: &random))
  }

  private mutating func some<Value>(_ make: (inout ChangeSource) -> Value) -> [Value] {
    let count = chance(3) ? Int.random(in: 0...3, using: &random) : 1
    return (0..<count).map { _ in make(&self) }
  }

  mutating func libraryChange() -> Change {
    switch Int.random(in: 0..<22, using: &random) {
    case 0, 1:
      return .shelves(
        verb(),
        some {
          LibraryShelf(id: $0.key($0.world.shelves, below: 8), name: $0.word(), code: $0.chance(3) ? $0.word() : nil)
        })
    case 2..<8: return .books(verb(), some { $0.book() })
    case 8:
      return .authors(
        verb(),
        some { source in
          LibraryAuthor(
            id: source.key(source.world.authors, below: 6), name: source.word(),
            agency: source.chance(2) ? nil : ToOne(source.key(source.world.agencies, below: 4)))
        })
    case 9:
      return .agencies(
        verb(), some { LibraryAgency(id: $0.key($0.world.agencies, below: 4), name: $0.word(), city: $0.word()) })
    case 10, 11: return .labels(verb(), some { LibraryLabel(id: $0.label()) })
    case 12, 13: return deletion()
    case 14: return .deleteLabel(label())
    case 15:
      return .updateAll(
        BookSelection(using: &random), Change.Assignment.allCases.randomElement(using: &random) ?? .addPages)
    case 16:
      var selection = BookSelection(using: &random)
      if !chance(3) { selection.limit = 2 }
      return .deleteAll(selection)
    case 17: return .sql(Int.random(in: 0...12, using: &random))
    default: return linking() ?? .labels(.save, Library.labels.map { LibraryLabel(id: $0) })
    }
  }

  mutating func otherChange() -> Change {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      return .pass(
        LibraryPass(id: key(world.passes, below: 8), value: Int.random(in: 0...9, using: &random)), expires: time())
    case 3: return .deletePass(key(world.passes, below: 8))
    case 4: return .setExpiry(key(world.passes, below: 8), time())
    default: return documentChange()
    }
  }

  private mutating func deletion() -> Change {
    switch Change.Kind.allCases.randomElement(using: &random) ?? .book {
    case .shelf: .delete(.shelf, some { $0.key($0.world.shelves, below: 8) })
    case .book: .delete(.book, some { $0.key($0.world.books, below: 30) })
    case .author: .delete(.author, some { $0.key($0.world.authors, below: 6) })
    case .agency: .delete(.agency, some { $0.key($0.world.agencies, below: 4) })
    }
  }

  private mutating func book() -> LibraryBook {
    LibraryBook(
      id: key(world.books, below: 30),
      title: (0...Int.random(in: 0...2, using: &random)).map { _ in word() }.joined(separator: " "),
      pages: Int.random(in: 0...12, using: &random), price: Decimal(Int.random(in: -8...40, using: &random)) / 4,
      rating: chance(3) ? nil : Double(Int.random(in: 0...4, using: &random)) / 2, isRead: Bool.random(using: &random),
      tags: (0..<Int.random(in: 0...2, using: &random)).map { _ in word() }, shelf: ToOne(key(world.shelves, below: 8)),
      author: chance(2) ? nil : ToOne(key(world.authors, below: 6)))
  }

  /// Labels are put on books that are there, and only labels that are there.
  private mutating func linking() -> Change? {
    guard let id = world.books.keys.sorted().randomElement(using: &random), let book = world.books[id] else {
      return nil
    }
    let labels = world.labels.sorted().shuffled(using: &random).map { LibraryLabel(id: $0) }
    guard let first = labels.first else { return nil }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .link(book, Array(labels.prefix(2)))
    case 1: return .unlink(book, first)
    default: return .setLinks(book, Array(labels.prefix(Int.random(in: 0...3, using: &random))))
    }
  }

  private mutating func documentChange() -> Change {
    let key = "p\(Int.random(in: 0..<8, using: &random))"
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1, 2:
      return .documents(some { ("p\(Int.random(in: 0..<8, using: &$0.random))", $0.document()) }, expires: time())
    case 3: return .updateDocument(key, document())
    case 4: return .deleteDocument(key)
    default: return .deleteDocuments(below: Int.random(in: 0...5, using: &random))
    }
  }

  private mutating func document() -> Document {
    var document: Document = ["number": .integer(Int64.random(in: 0...12, using: &random))]
    if chance(2) { document["name"] = .text(word()) }
    if chance(3) {
      document["extra\(Int.random(in: 0..<4, using: &random))"] =
        chance(2) ? .null : .array([.bool(true), .text(word())])
    }
    return document
  }
}
