import Foundation
import Larder

/// What the stores of most scenarios hold before anything fails.
enum FaultSample {
  /// The time of stores in which rows expire.
  static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
  static let shelves = (1...3).map { FaultShelf(id: $0, name: "Shelf \($0)") }
  static let tags = ["green", "red"].map { FaultTag(id: $0) }

  /// Books with enough text for several pages.
  static func books(_ numbers: ClosedRange<Int>, text size: Int = 500) -> [FaultBook] {
    numbers.map { number in
      FaultBook(
        id: number, title: "Book \(number) of the sea", pages: number * 10,
        text: String(repeating: "\(number % 10)", count: size),
        shelf: ToOne(number % 3 + 1))
    }
  }

  static func write(to place: FaultPlace) async throws {
    let store = try Store(at: place.store, for: FaultBook.self, FaultProbe.self)
    try await fill(store)
  }

  static func fill(_ store: Store) async throws {
    try await store.write { db in
      try db.insert(shelves)
      try db.insert(tags)
      let books = books(1...24)
      try db.insert(books)
      for book in books.prefix(6) { try db.link(book, \.tags, tags) }
    }
  }

  /// Two chains of `.cascade`, which begin with the rows 1 and 2, and a circle, which has the row 3.
  static func links(_ count: Int) -> [FaultLink] {
    (1...3 * count).map { number in
      let isFirst = number <= 3
      let last: ToOne<FaultLink>? = number == 3 ? ToOne(3 * count) : nil
      return FaultLink(id: number, earlier: isFirst ? last : ToOne(number - 3), shelf: ToOne(number % 2 + 1))
    }
  }
}
