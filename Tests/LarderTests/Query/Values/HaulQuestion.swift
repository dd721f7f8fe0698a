import Foundation
import Larder
import LarderTestSupport
import Testing

/// A query for values, and what plain Swift says to it.
struct HaulQuestion: Sendable {
  let text: String
  let ask: @Sendable (any StoreReader) throws -> [[Token]]
  let answer: @Sendable (HaulWorld) -> [[Token]]
  private let count: @Sendable (any StoreReader) throws -> Int
  private let first: @Sendable (any StoreReader) throws -> [Token]?
  /// Whether the results have an order.
  private let isOrdered: Bool

  init<Q: ValueQuery>(
    _ text: String, _ query: Q, isOrdered: Bool = true, _ tokens: @escaping @Sendable (Q.Result) -> [Token],
    _ answer: @escaping @Sendable (HaulWorld) -> [[Token]]
  ) {
    (self.text, self.isOrdered) = (text, isOrdered)
    self.answer = { isOrdered ? answer($0) : answer($0).sorted(by: Self.precedes) }
    ask = { db in
      let found = try db.fetch(query).map(tokens)
      return isOrdered ? found : found.sorted(by: Self.precedes)
    }
    count = { try $0.count(query) }
    first = { try $0.first(query).map(tokens) }
  }

  init(
    _ text: String, _ query: Query<Haul>, _ answer: @escaping @Sendable (HaulWorld) -> [[Token]]
  ) {
    (self.text, self.answer, isOrdered) = (text, answer, true)
    ask = { try $0.fetch(query).map(\.tokens) }
    count = { try $0.count(query) }
    first = { try $0.first(query).map(\.tokens) }
  }

  private static func precedes(_ left: [Token], _ right: [Token]) -> Bool { left.lexicographicallyPrecedes(right) }

  /// Compares what the store, context or transaction returns.
  func check(_ db: some StoreReader, _ world: HaulWorld, _ place: String) {
    let expected = answer(world)
    do {
      #expect(try ask(db) == expected, "\(place): \(text)")
      #expect(try count(db) == expected.count, "\(place): the number of \(text)")
      let first = try first(db)
      #expect(
        isOrdered ? first == expected.first : (first == nil) == expected.isEmpty, "\(place): the first of \(text)")
    } catch {
      Issue.record("\(place): \(text): \(error)")
    }
  }
}
