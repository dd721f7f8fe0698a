import Foundation
import Larder
import Testing

/// Queries of thousands of conditions, and expressions that are nested without end.
@Suite struct ManyConditionsTests {
  private let db: BlockingStore

  init() throws {
    db = try Store(inMemoryFor: Errand.self).blocking
    try db.insert((1...50).map { Errand(id: $0, depth: $0) })
  }

  @Test("conditions that are joined one after another work, however many they are", arguments: [2, 88, 1000, 10_000])
  func joined(_ count: Int) throws {
    let some = (0..<count).reduce(Errand.columns.id == -1) { condition, number in
      condition || Errand.columns.depth == number * 7
    }
    #expect(
      try db.fetch(Errand.where { _ in some }.sorted(by: \.id)).map(\.id)
        == (1...50).filter { $0 % 7 == 0 && $0 / 7 < count })
    let before = (0..<count).reversed().reduce(Errand.columns.id == -1) { condition, number in
      Errand.columns.depth == number * 7 || condition
    }
    #expect(try db.count(Errand.where { _ in before }) == (1...50).count { $0 % 7 == 0 && $0 / 7 < count })
    let all = (0..<count).reduce(Errand.all) { query, number in query.where { $0.depth != number * 7 } }
    #expect(try db.count(all) == (1...50).count { $0 % 7 != 0 || $0 / 7 >= count })
    #expect(all == (0..<count).reduce(Errand.all) { query, number in query.where { $0.depth != number * 7 } })
  }

  @Test("conditions that && and || join in turn are as Swift has them")
  func mixed() throws {
    var condition = Errand.columns.depth > 0
    var isMatch: (Int) -> Bool = { $0 > 0 }
    for number in 1...60 {
      let (wasMatch, old) = (isMatch, condition)
      if number.isMultiple(of: 2) {
        condition = old && Errand.columns.depth != number
        isMatch = { wasMatch($0) && $0 != number }
      } else {
        condition = old || Errand.columns.depth == number - 5
        isMatch = { wasMatch($0) || $0 == number - 5 }
      }
    }
    #expect(try db.fetch(Errand.where { _ in condition }.sorted(by: \.id)).map(\.id) == (1...50).filter(isMatch))
  }

  @Test(
    "long sums are computed, and expressions that are nested too deeply are refused", arguments: [10, 88, 500, 5000])
  func sums(_ count: Int) throws {
    let sum = (0..<count).reduce(Errand.columns.depth + 0) { sum, _ in sum + 1 }
    do {
      #expect(try db.fetch(Errand.where { _ in sum == count + 3 }).map(\.id) == [3])
      #expect(count <= 500)
    } catch let error as StoreError {
      #expect(error.code == .unsupported)
      #expect(error.message.contains("nested too deeply"))
      #expect(count > 500)
    }
    let negated = (0..<count).reduce(Errand.columns.depth == 3) { condition, _ in !condition }
    do {
      #expect(try db.fetch(Errand.where { _ in negated }).map(\.id) == [3])
    } catch let error as StoreError {
      #expect(error.code == .unsupported)
      #expect(count > 10)
    }
  }

  @Test("a condition finds the head of a chain of which each row deletes the next")
  func deepCascade() throws {
    try db.deleteAll(Errand.all)
    try db.insert((1...2000).map { Errand(id: $0, parent: $0 == 1 ? nil : ToOne($0 - 1)) })
    #expect(try db.deleteAll(Errand.where { $0.parent == nil }) == 1)
    #expect(try db.count(Errand.all) == 0)
  }
}
