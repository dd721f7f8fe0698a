import Foundation
import Larder
import LarderTestSupport

/// Ranks and running sums, unions, and SQL by hand within typed queries.
extension HaulTerms {
  mutating func windows<A: AnyHaulTerm>(_ partition: A) -> HaulQuestion {
    switch draw(5) {
    case 0: windows(int(1), partition)
    case 1: windows(optionalInt(1), partition)
    case 2: windows(text(1), partition)
    case 3: windows(decimal(1), partition)
    default: windows(date(1), partition)
    }
  }

  private mutating func windows<A: AnyHaulTerm, Key: Tokenized & StoredValue>(
    _ key: HaulTerm<Key>, _ partition: A
  ) -> HaulQuestion {
    let (condition, number, money, isReverse) = (condition(1), int(1), decimal(1), draw(2) == 0)
    let order = isReverse ? SortOrder.reverse : .forward
    let query = Haul.where { condition.build($0) }.select {
      (
        $0.id, key.build($0).rank(order), key.build($0).rank(order, within: partition.build($0)),
        number.build($0).runningSum(by: key.build($0), order: order),
        number.build($0).runningSum(by: $0.id, within: partition.build($0)),
        money.build($0).runningSum(by: key.build($0), order: order)
      )
    }.sorted(by: \.id)
    return HaulQuestion(
      "ranks \(isReverse ? "in reverse " : "")by \(key.text) within \(partition.text), sums of \(number.text) and \(money.text), where \(condition.text)",
      query, { [$0.token, $1.token, $2.token, $3.token, $4.token, $5.token] }
    ) { world in
      let rows = world.allHauls.filter { condition.value($0, world) }
      return rows.map { row in
        let own = key.token(row, world)
        let others = rows.filter { partition.token($0, world) == partition.token(row, world) }
        func isBefore(_ other: Haul) -> Bool {
          let token = key.token(other, world)
          return isReverse ? own < token : token < own
        }
        func sum(_ rows: [Haul]) -> Token { rows.reduce(0) { $0 + number.value($1, world) }.token }
        return [
          row.id.token, (1 + rows.filter(isBefore).count).token, (1 + others.filter(isBefore).count).token,
          sum(rows.filter { isBefore($0) || key.token($0, world) == own }), sum(others.filter { $0.id <= row.id }),
          rows.filter { isBefore($0) || key.token($0, world) == own }
            .reduce(Decimal(0)) { $0 + money.value($1, world) }.token,
        ]
      }
    }
  }

  mutating func union() -> HaulQuestion {
    let (one, other) = ((int(1), optionalText(1), condition(1)), (int(1), optionalText(1), condition(1)))
    let (isDistinct, isReverse, limit) = (draw(2) == 0, draw(2) == 0, draw(3) == 0 ? draw(6) : nil)
    let first = Haul.where { one.2.build($0) }.select { (one.0.build($0), one.1.build($0)) }
    let second = Haul.where { other.2.build($0) }.select { (other.0.build($0), other.1.build($0)) }
    var query = isDistinct ? first.union(second) : first.unionAll(second)
    if isReverse { query = query.sorted(.reverse) }
    if let limit { query = query.limit(limit) }
    let words = """
      (\(one.0.text), \(one.1.text)) where \(one.2.text) union\(isDistinct ? "" : " all") (\(other.0.text), \
      \(other.1.text)) where \(other.2.text)\(isReverse ? " in reverse" : "")\(limit.map { " limit \($0)" } ?? "")
      """
    return HaulQuestion(words, query, { [$0.token, $1.token] }) { world in
      func values(_ term: (HaulTerm<Int>, HaulTerm<String?>, HaulTerm<Bool>)) -> [[Token]] {
        world.allHauls.filter { term.2.value($0, world) }.map { [term.0.token($0, world), term.1.token($0, world)] }
      }
      let all = values(one) + values(other)
      let sorted = (isDistinct ? Array(Set(all)) : all).sorted { $0.lexicographicallyPrecedes($1) }
      return Array((isReverse ? sorted.reversed() : sorted).prefix(limit ?? .max))
    }
  }

  /// A value that SQL by hand computes.
  mutating func sql(_ depth: Int) -> HaulTerm<Int> {
    let (inner, factor) = (int(depth), draw(4))
    return HaulTerm(
      "SQL(\(inner.text) * \(factor))", { SQL("(\(inner.build($0)) * \(factor))").as(Int.self) },
      { inner.value($0, $1) * factor })
  }
}
