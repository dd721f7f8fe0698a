import Dispatch
import Foundation
import Larder
import LarderTestSupport
import Testing

/// The rows of a library in plain Swift, with the rules that the store has.
private struct Library: Equatable {
  struct Book: Equatable {
    var title: String
    var code: String?
    var pages: Int
    var price: Decimal
    var shelf: Int
    var author: Int?
  }

  struct Pair: Hashable {
    var volume: Int
    var label: Int
  }

  var shelves: [Int: String] = [:]
  var books: [Int: Book] = [:]
  var authors: [Int: Int?] = [:]
  var agencies: Set<Int> = []
  var labels: Set<Int> = []
  var pairs: Set<Pair> = []

  mutating func deleteShelf(_ id: Int) {
    shelves[id] = nil
    for (key, book) in books where book.shelf == id { deleteBook(key) }
  }

  mutating func deleteBook(_ id: Int) {
    books[id] = nil
    pairs = pairs.filter { $0.volume != id }
  }

  mutating func deleteAuthor(_ id: Int) {
    authors[id] = nil
    for (key, book) in books where book.author == id { books[key]?.author = nil }
  }

  mutating func deleteLabel(_ id: Int) {
    labels.remove(id)
    pairs = pairs.filter { $0.label != id }
  }

  init() {}

  init(_ db: some StoreReader) throws {
    for shelf in try db.fetch(Bookcase.all) { shelves[shelf.id] = shelf.name }
    for volume in try db.fetch(Volume.all.including(\.labels)) {
      books[volume.id] = Book(
        title: volume.title, code: volume.code, pages: volume.pages, price: volume.price, shelf: volume.shelf.id,
        author: volume.author?.id)
      for label in volume.labels { pairs.insert(Pair(volume: volume.id, label: label.id)) }
    }
    for author in try db.fetch(Author.all) { authors[author.id] = .some(author.agency?.id) }
    agencies = Set(try db.fetch(Agency.all).map(\.id))
    labels = Set(try db.fetch(Label.all).map(\.id))
  }
}

/// The context and plain Swift do not agree.
private struct Disagreement: Error {
  let line: Int
}

/// Random histories of a context, beside the same in plain Swift.
@Suite("Context: random histories", .timeLimit(.minutes(20)))
struct ContextHistoryTests {
  private final class History {
    var generator: SplitMix64
    let context: Context
    let store: Store
    /// The states that undo and redo walk through.
    var states: [Library]
    var position = 0
    var savedPosition: Int? = 0
    var saved: Library
    var log: [String] = []

    var state: Library { states[position] }

    init(seed: UInt64, _ store: Store) throws {
      generator = SplitMix64(seed: seed)
      self.store = store
      context = Context(store)
      saved = try Library(store.blocking)
      states = [saved]
    }

    func push(_ state: Library) {
      if let saved = savedPosition, position < saved { savedPosition = nil }
      states.removeSubrange((position + 1)...)
      states.append(state)
      position += 1
    }

    /// Does one thing to both, and says whether they agree on it.
    func step() throws {
      switch Int.random(in: 0..<24, using: &generator) {
      case 0: try undo()
      case 1: try undo()
      case 2: try redo()
      case 3: try save()
      case 4: try rollback()
      case 5...8: try upsertVolume()
      case 9, 10: try insertVolume()
      case 11, 12: try updateVolume()
      case 13, 14: try deleteVolume()
      case 15: try changeShelf()
      case 16: try deleteShelf()
      case 17: try changeAuthor()
      case 18: try deleteAuthor()
      case 19: try changeAgency()
      case 20, 21: try link()
      case 22: try updateAll()
      default: try deleteAll()
      }
    }

    private func agree(_ condition: Bool, line: Int = #line) throws {
      if !condition { throw Disagreement(line: line) }
    }

    // MARK: The history

    func undo() throws {
      log.append("undo")
      try agree(context.undo() == (position > 0))
      if position > 0 { position -= 1 }
    }

    func redo() throws {
      log.append("redo")
      try agree(context.redo() == (position < states.count - 1))
      if position < states.count - 1 { position += 1 }
    }

    func save() throws {
      log.append("save")
      try context.save()
      saved = state
      savedPosition = position
      try agree(!context.hasChanges)
      try agree(Library(store.blocking) == saved)
      try agree(store.blocking.verifyDerived().isEmpty)
    }

    func rollback() throws {
      log.append("rollback")
      context.rollback()
      if let savedPosition {
        states.removeSubrange((savedPosition + 1)...)
        position = savedPosition
      } else {
        states = [saved]
        position = 0
        savedPosition = 0
      }
      try agree(!context.hasChanges)
    }

    // MARK: Changes

    private func id() -> Int { Int.random(in: 1...6, using: &generator) }

    private func anyBook(_ state: Library) -> Library.Book? {
      guard let shelf = state.shelves.keys.sorted().randomElement(using: &generator) else { return nil }
      return Library.Book(
        title: generator.pick(["red sea", "blue sky", "red sky", "green"]),
        code: generator.pickOrNil(["a", "b", "c", "d", "e", "f", "g"]),
        pages: Int.random(in: 0...500, using: &generator),
        price: Decimal(Int.random(in: -300...300, using: &generator)) / 100, shelf: shelf,
        author: generator.once(in: 3) ? nil : state.authors.keys.sorted().randomElement(using: &generator))
    }

    private func volume(_ id: Int, _ book: Library.Book) -> Volume {
      Volume(
        id: id, title: book.title, code: book.code, pages: book.pages, price: book.price, shelf: ToOne(book.shelf),
        author: book.author.map { ToOne($0) })
    }

    private func isTaken(_ code: String?, except id: Int, in state: Library) -> Bool {
      code.map { code in state.books.contains { $0.key != id && $0.value.code == code } } ?? false
    }

    /// Does the verb, and expects it to be refused where the plain rows say so.
    private func change(_ name: String, to new: Library?, _ body: (Context) throws -> Void) throws {
      log.append(name + (new == nil ? " refused" : ""))
      do {
        try body(context)
      } catch {
        guard new == nil, !(error is Disagreement) else { throw error }
        return
      }
      guard let new else { throw Disagreement(line: #line) }
      push(new)
    }

    private func generic(_ body: (any StoreWriter) throws -> Void) throws { try body(context) }

    func upsertVolume() throws {
      guard let book = anyBook(state) else { return }
      let id = id()
      var new = state
      new.books[id] = book
      try change("save volume \(id) \(book)", to: isTaken(book.code, except: id, in: state) ? nil : new) {
        try $0.save(volume(id, book))
      }
    }

    func insertVolume() throws {
      guard let book = anyBook(state) else { return }
      let id = id()
      var new = state
      new.books[id] = book
      let isRefused = state.books[id] != nil || isTaken(book.code, except: id, in: state)
      try change("insert volume \(id) \(book)", to: isRefused ? nil : new) { _ in
        try generic { try $0.insert(volume(id, book)) }
      }
    }

    func updateVolume() throws {
      guard let book = anyBook(state) else { return }
      let id = id()
      var new = state
      new.books[id] = book
      let isRefused = state.books[id] == nil || isTaken(book.code, except: id, in: state)
      if isRefused || generator.once(in: 2) {
        try change("update volume \(id) \(book)", to: isRefused ? nil : new) { _ in
          try generic { try $0.update(volume(id, book)) }
        }
      } else {
        try change("update volume \(id) \(book)", to: new) { $0.update(volume(id, book)) }
      }
    }

    func deleteVolume() throws {
      let id = id()
      guard state.books[id] != nil else {
        try agree(!context.delete(Volume.self, id))
        return
      }
      var new = state
      new.deleteBook(id)
      try change("delete volume \(id)", to: new) { try agree($0.delete(Volume.self, id)) }
    }

    func changeShelf() throws {
      let id = id()
      var new = state
      new.shelves[id] = generator.pick(["left", "right"])
      let shelf = Bookcase(id: id, name: new.shelves[id] ?? "")
      try change("save shelf \(id)", to: new) { try $0.save(shelf) }
    }

    func deleteShelf() throws {
      let id = id()
      guard state.shelves[id] != nil else { return }
      var new = state
      new.deleteShelf(id)
      try change("delete shelf \(id)", to: new) { try agree($0.delete(Bookcase.self, id)) }
    }

    func changeAuthor() throws {
      let id = id()
      let agency = generator.once(in: 2) ? nil : state.agencies.sorted().randomElement(using: &generator)
      var new = state
      new.authors[id] = .some(agency)
      try change("save author \(id)", to: new) {
        try $0.save(Author(id: id, name: "x", agency: agency.map { ToOne($0) }))
      }
    }

    func deleteAuthor() throws {
      let id = id()
      guard state.authors[id] != nil else { return }
      var new = state
      new.deleteAuthor(id)
      try change("delete author \(id)", to: new) { try agree($0.delete(Author.self, id)) }
    }

    func changeAgency() throws {
      let id = id()
      var new = state
      guard state.agencies.contains(id) else {
        new.agencies.insert(id)
        return try change("insert agency \(id)", to: new) { $0.insert(Agency(id: id, name: "y")) }
      }
      new.agencies.remove(id)
      let isDenied = state.authors.contains { $0.value == id }
      try change("delete agency \(id)", to: isDenied ? nil : new) { _ in try generic { try $0.delete(Agency.self, id) }
      }
    }

    func link() throws {
      let label = id()
      var new = state
      guard state.labels.contains(label) else {
        new.labels.insert(label)
        return try change("insert label \(label)", to: new) { $0.insert(Label(id: label, name: "l\(label)")) }
      }
      if generator.once(in: 6) {
        new.deleteLabel(label)
        return try change("delete label \(label)", to: new) { $0.delete(Label.self, label) }
      }
      guard let id = state.books.keys.sorted().randomElement(using: &generator), let book = state.books[id] else {
        return
      }
      let pair = Library.Pair(volume: id, label: label)
      let row = Label(id: label, name: "l\(label)")
      if state.pairs.contains(pair) {
        new.pairs.remove(pair)
        try change("unlink \(id) \(label)", to: new) { try agree($0.unlink(volume(id, book), \.labels, row)) }
      } else {
        new.pairs.insert(pair)
        try change("link \(id) \(label)", to: new) { try $0.link(volume(id, book), \.labels, row) }
      }
    }

    func updateAll() throws {
      let bound = Int.random(in: 0...500, using: &generator)
      var new = state
      for (id, book) in state.books where book.pages > bound { new.books[id]?.pages += 1 }
      let count = state.books.count { $0.value.pages > bound }
      log.append("updateAll \(bound)")
      try agree(context.updateAll(Volume.where { $0.pages > bound }) { $0.pages.increment(by: 1) } == count)
      if count > 0 { push(new) }
    }

    func deleteAll() throws {
      let bound = Int.random(in: 300...500, using: &generator)
      var new = state
      for (id, book) in state.books where book.pages > bound { new.deleteBook(id) }
      let count = state.books.count - new.books.count
      log.append("deleteAll \(bound)")
      try agree(context.deleteAll(Volume.where { $0.pages > bound }) == count)
      if count > 0 { push(new) }
    }

    // MARK: Checks

    /// Queries of every kind over what is pending.
    func check() throws {
      let state = state
      try agree(Library(context) == state)
      if state != saved { try agree(context.hasChanges) }
      if !context.hasChanges { try agree(state == saved) }
      try agree(context.refusals.isEmpty)
      let books = state.books.values
      try agree(context.sum(Volume.all, of: \.price) == books.reduce(0) { $0 + $1.price })
      try agree(context.fetch(Volume.search("red")).count == books.count { $0.title.contains("red") })
      for shelf in try context.fetch(Bookcase.all) {
        let own = books.filter { $0.shelf == shelf.id }
        try agree(shelf.worth == own.reduce(0) { $0 + $1.price })
        try agree(shelf.count == own.count)
        try agree(shelf.longest == own.map(\.pages).max())
      }
      for label in try context.fetch(Label.all) { try agree(label.uses == state.pairs.count { $0.label == label.id }) }
      let left = try context.count(Volume.where { $0.shelf.name == "left" })
      try agree(left == books.count { state.shelves[$0.shelf] == "left" })
      let full = try context.fetch(Bookcase.where { $0.volumes.contains { $0.pages > 250 } }.sorted(by: \.id)).map(\.id)
      try agree(
        full == state.shelves.keys.filter { id in books.contains { $0.shelf == id && $0.pages > 250 } }.sorted())
    }
  }

  /// Half a minute of work that never waits belongs on no thread that other tests need.
  private static let queue = DispatchQueue(label: "larder.tests.histories")

  @Test("C3: random histories agree with plain Swift", arguments: 0..<5)
  func histories(_ group: Int) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Result { try self.perform(group) }) }
    }
  }

  private func perform(_ group: Int) throws {
    let store = try Store(inMemoryFor: Bookcase.self, Volume.self, Author.self, Agency.self, Label.self)
    for number in 0..<5 {
      // Ten histories follow one another in a context: those before can be undone in those after.
      let seed = TestSeed.value &+ UInt64(group * 50 + number * 10)
      let history = try History(seed: seed, store)
      do {
        for _ in 0..<10 {
          for count in 1...12 {
            try history.step()
            if count % 6 == 0 { try history.check() }
          }
          try history.save()
          try history.check()
        }
      } catch {
        Issue.record("seed \(seed): \(error)\n\(history.log.joined(separator: "\n"))")
        return
      }
    }
    TestSeed.tried(600, .operations, "operations of contexts")
  }
}
