import Foundation
import Larder
import LarderTestSupport

/// A random condition on books, as a query says it and as plain Swift says it.
struct BookCondition: Sendable {
  let expression: @Sendable () -> QueryExpression<Bool>
  let matches: @Sendable (LibraryBook, World) -> Bool
  let text: String

  private init(
    _ text: String, _ condition: @escaping @Sendable (LibraryBook.Columns) -> QueryExpression<Bool>,
    _ matches: @escaping @Sendable (LibraryBook, World) -> Bool
  ) {
    self.text = text
    expression = { condition(LibraryBook.columns) }
    self.matches = matches
  }

  static let everything = BookCondition("true", { $0.id == $0.id }, { _, _ in true })

  /// A tree of at most so many levels.
  init(depth: Int, using random: inout SplitMix64) {
    guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else {
      self = Self.leaf(using: &random)
      return
    }
    let left = BookCondition(depth: depth - 1, using: &random)
    let right = BookCondition(depth: depth - 1, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: self.init("!(\(left.text))", { _ in !left.expression() }, { !left.matches($0, $1) })
    case 1, 2:
      self.init(
        "(\(left.text) && \(right.text))", { _ in left.expression() && right.expression() },
        { left.matches($0, $1) && right.matches($0, $1) })
    default:
      self.init(
        "(\(left.text) || \(right.text))", { _ in left.expression() || right.expression() },
        { left.matches($0, $1) || right.matches($0, $1) })
    }
  }

  private static func leaf(using random: inout SplitMix64) -> BookCondition {
    let number = Int.random(in: -2...12, using: &random)
    let word = Library.words.randomElement(using: &random) ?? "red"
    let label = Library.labels.randomElement(using: &random) ?? "a"
    let price = Decimal(Int.random(in: -10...40, using: &random)) / 4
    let rating = Double(Int.random(in: 0...4, using: &random)) / 2
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .init("pages < \(number)", { $0.pages < number }, { book, _ in book.pages < number })
    case 1: return .init("pages == \(number)", { $0.pages == number }, { book, _ in book.pages == number })
    case 2: return .init("pages * 2 >= \(number)", { $0.pages * 2 >= number }, { book, _ in book.pages * 2 >= number })
    case 3:
      return .init("title contains \(word)", { $0.title.contains(word) }, { book, _ in book.title.contains(word) })
    case 4:
      return .init("title begins with \(word)", { $0.title.hasPrefix(word) }, { book, _ in book.title.hasPrefix(word) })
    case 5: return .init("title != \(word)", { $0.title != word }, { book, _ in book.title != word })
    case 6: return .init("price > \(price)", { $0.price > price }, { book, _ in book.price > price })
    case 7: return .init("price <= \(price)", { $0.price <= price }, { book, _ in book.price <= price })
    case 8: return .init("rating == nil", { $0.rating == nil }, { book, _ in book.rating == nil })
    case 9:
      return .init(
        "rating > \(rating)", { $0.rating > rating }, { book, _ in book.rating.map { $0 > rating } ?? false })
    case 10: return .init("rating != \(rating)", { $0.rating != rating }, { book, _ in book.rating != rating })
    case 11: return .init("isRead", { $0.isRead == true }, { book, _ in book.isRead })
    case 12: return .init("tags has \(word)", { $0.tags.contains(word) }, { book, _ in book.tags.contains(word) })
    case 13: return .init("shelf == \(number)", { $0.shelf == number }, { book, _ in book.shelf.id == number })
    case 14: return .init("author == nil", { $0.author == nil }, { book, _ in book.author == nil })
    case 15:
      return .init(
        "shelf.name == \(word)", { $0.shelf.name == word },
        { book, world in world.shelves[book.shelf.id]?.name == word })
    case 16:
      return .init(
        "labels has \(label)", { $0.labels.contains(label) },
        { book, world in world.links[book.id]?.contains(label) ?? false })
    case 17:
      return .init(
        "id in …", { $0.id.isIn([number, number + 1]) }, { book, _ in book.id == number || book.id == number + 1 })
    case 18:
      return .init(
        "pages between …", { $0.pages.isBetween(number, number + 4) },
        { book, _ in book.pages >= number && book.pages <= number + 4 })
    default:
      return .init(
        "shelf.count > \(number / 3)", { $0.shelf.count > number / 3 },
        { book, world in (world.shelf(book.shelf.id)?.count).map { $0 > number / 3 } ?? false })
    }
  }
}

/// Which books, and in which order.
struct BookSelection: Sendable {
  enum Key: CaseIterable {
    case title, pages, price, rating, isRead, shelfName
  }

  var condition: BookCondition
  var sorts: [(key: Key, isDescending: Bool)]
  var limit: Int?
  var offset = 0
  var after: LibraryBook?

  init(using random: inout SplitMix64) {
    condition = Int.random(in: 0..<6, using: &random) == 0 ? .everything : BookCondition(depth: 3, using: &random)
    sorts =
      Int.random(in: 0..<3, using: &random) == 0
      ? [] : Key.allCases.shuffled(using: &random).prefix(2).map { ($0, Bool.random(using: &random)) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      limit = Int.random(in: 0...6, using: &random)
      offset = Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : 0
    }
  }

  var text: String {
    let sorts = sorts.map { "\($0.key)\($0.isDescending ? " desc" : "")" }.joined(separator: ", ")
    let page = limit.map { " limit \($0) offset \(offset)" } ?? ""
    return "\(condition.text) by [\(sorts)]\(page)\(after.map { " after \($0.id)" } ?? "")"
  }

  /// Whether the order of the rows is determined.
  var isOrdered: Bool { !sorts.isEmpty || limit != nil || after != nil }

  var query: Query<LibraryBook> {
    var query = LibraryBook.where { _ in condition.expression() }
    for (key, isDescending) in sorts {
      let order = isDescending ? SortOrder.reverse : .forward
      switch key {
      case .title: query = query.sorted(by: \.title, order: order)
      case .pages: query = query.sorted(by: \.pages, order: order)
      case .price: query = query.sorted(by: \.price, order: order)
      case .rating: query = query.sorted(by: \.rating, order: order)
      case .isRead: query = query.sorted(by: \.isRead, order: order)
      case .shelfName: query = query.sorted(order: order) { $0.shelf.name }
      }
    }
    if let after { query = query.after(after) }
    return limit.map { query.limit($0, offset: offset) } ?? query
  }

  func rows(in world: World) -> [LibraryBook] {
    var rows = world.books.values.filter { condition.matches($0, world) }.sorted { isBefore($0, $1, world) }
    if let after { rows = rows.filter { isBefore(after, $0, world) } }
    if let limit { rows = Array(rows.dropFirst(offset).prefix(limit)) }
    return rows
  }

  private func isBefore(_ left: LibraryBook, _ right: LibraryBook, _ world: World) -> Bool {
    for (key, isDescending) in sorts {
      let (one, other) = isDescending ? (right, left) : (left, right)
      let order: Int =
        switch key {
        case .title: Self.order(one.title, other.title)
        case .pages: Self.order(one.pages, other.pages)
        case .price: Self.order(one.price, other.price)
        case .rating: Self.order(one.rating ?? -1, other.rating ?? -1)
        case .isRead: Self.order(one.isRead ? 1 : 0, other.isRead ? 1 : 0)
        case .shelfName: Self.order(world.shelves[one.shelf.id]?.name ?? "", world.shelves[other.shelf.id]?.name ?? "")
        }
      if order != 0 { return order < 0 }
    }
    // Rows that are equal otherwise are in the order of their keys, in the direction of the last sort.
    return sorts.last?.isDescending == true ? left.id > right.id : left.id < right.id
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
}
