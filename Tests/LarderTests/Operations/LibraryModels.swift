import Foundation
import Synchronization
import Testing

@testable import Larder

@Model
struct LibraryShelf: Hashable {
  var id: Int
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \LibraryBook.shelf) var books: ToMany<LibraryBook> = []
  @Derived(.count(\LibraryShelf.books)) var bookCount: Int = 0

  init(id: Int, name: String = "") {
    self.id = id
    self.name = name
  }
}

@Model
struct LibraryBook: Hashable {
  var id: Int
  @Attribute(.searchable) var title: String
  @Attribute(.indexed) var year: Int = 0
  var shelf: ToOne<LibraryShelf>?
  var cover: Larder.Attachment?

  init(id: Int, title: String, year: Int = 0, shelf: ToOne<LibraryShelf>? = nil, cover: Larder.Attachment? = nil) {
    self.id = id
    self.title = title
    self.year = year
    self.shelf = shelf
    self.cover = cover
  }
}

@Model(expires: true)
struct LibraryLoan: Hashable {
  var id: Int

  init(id: Int) {
    self.id = id
  }
}

// In files of their own, calls of the initializers are not always found beside those that the macro writes.

func makeBook(
  id: Int, title: String, year: Int = 0, shelf: ToOne<LibraryShelf>? = nil, cover: Larder.Attachment? = nil
) -> LibraryBook {
  LibraryBook(id: id, title: title, year: year, shelf: shelf, cover: cover)
}

func makeLoan(id: Int) -> LibraryLoan { LibraryLoan(id: id) }

/// Keeps what it is told.
final class Recorder<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])

  var elements: [Element] { state.withLock { $0 } }

  func append(_ element: Element) { state.withLock { $0.append(element) } }

  func removeAll() { state.withLock { $0.removeAll() } }
}

/// A file with a library.
struct LibraryFile {
  static let models: [any Model.Type] = [LibraryShelf.self, LibraryBook.self, LibraryLoan.self]

  let file: StoreFile

  init() throws {
    file = try StoreFile()
    let store = try open()
    try store.blocking.insert((1...3).map { LibraryShelf(id: $0, name: "shelf \($0)") })
    try store.blocking.insert(
      (1...30).map { LibraryBook(id: $0, title: "title number \($0)", year: 1900 + $0, shelf: ToOne($0 % 3 + 1)) })
    try Self.close(store)
  }

  /// Closes the store at once: one that is only released may still be sweeping.
  static func close(_ store: Store) throws {
    let closed = Gate()
    store.close { closed.open() }
    try closed.waitBlocking()
  }

  func open(_ configuration: Store.Configuration = Store.Configuration()) throws -> Store {
    try Store(at: file.path, for: Self.models, configuration: configuration)
  }

  /// Executes SQL without foreign keys, as another program might.
  func tamper(_ statements: String...) throws {
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    try store.withWriter { connection in
      try connection.change("PRAGMA foreign_keys = OFF")
      for statement in statements { try connection.change(statement) }
    }
    try Self.close(store)
  }

  /// Copies the file and its log as they are now into a folder of their own.
  func copy() throws -> StoreFile {
    let copy = try StoreFile()
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }
}

/// Expects that the call is refused with an error of the kind.
func expectError(
  _ code: StoreError.Code, naming word: String = "", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch let error as StoreError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    if !word.isEmpty { #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation) }
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
