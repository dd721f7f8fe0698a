import Foundation
import Larder
import LarderTestSupport

/// Queries for selected values and for groups.
extension HaulTerms {
  mutating func question() -> HaulQuestion {
    let (one, other) = (any(2), any(1))
    switch draw(10) {
    case 8: return windows(other)
    case 9: return union()
    case 0, 1: return selected(one, other)
    case 2: return distinct(one, other)
    case 3, 4: return grouped(one, other)
    case 5: return draw(2) == 0 ? joined(one) : joinedGroups(one)
    case 6: return joined(one, other)
    default: return tree(one)
    }
  }

  private mutating func selected<A: AnyHaulTerm, B: AnyHaulTerm>(_ one: A, _ other: B) -> HaulQuestion {
    let condition = condition(2)
    let (limit, offset) = (draw(6), draw(3))
    let (isSorted, isLimited, isReverse) = (A.Output.isOrdered && draw(2) == 0, draw(2) == 0, draw(2) == 0)
    var query = Haul.where { condition.build($0) }.select { (one.build($0), other.build($0)) }
    if isSorted { query = query.sorted(order: isReverse ? .reverse : .forward) { one.build($0) } }
    query = query.sorted(by: \.id)
    if isLimited { query = query.limit(limit, offset: offset) }
    let sort = isSorted ? " sorted\(isReverse ? " in reverse" : "")" : ""
    let page = isLimited ? " limit \(limit) offset \(offset)" : ""
    return HaulQuestion(
      "(\(one.text), \(other.text)) where \(condition.text)\(sort)\(page)",
      query.map { [$0.token, $1.token] }, { $0 }
    ) { world in
      let rows = world.allHauls.filter { condition.value($0, world) }
      var found = rows.map { (tokens: [one.token($0, world), other.token($0, world)], id: $0.id) }
      if isSorted {
        found.sort { left, right in
          let (a, b) = (left.tokens[0], right.tokens[0])
          return a == b ? left.id < right.id : isReverse ? b < a : a < b
        }
      }
      let all = found.map(\.tokens)
      return isLimited ? Array(all.dropFirst(offset).prefix(limit)) : all
    }
  }

  private mutating func distinct<A: AnyHaulTerm, B: AnyHaulTerm>(_ one: A, _ other: B) -> HaulQuestion {
    let condition = condition(1)
    let (limit, isReverse) = (draw(4), draw(2) == 0)
    let isOrdered = A.Output.isOrdered && B.Output.isOrdered
    let isLimited = isOrdered && draw(2) == 0
    var query = Haul.where { condition.build($0) }.select { (one.build($0), other.build($0)) }.distinct()
    if isReverse { query = query.sorted(order: .reverse) { one.build($0) } }
    if isLimited { query = query.limit(limit) }
    return HaulQuestion(
      """
      distinct (\(one.text), \(other.text)) where \(condition.text)\(isReverse ? " in reverse" : "")\
      \(isLimited ? " limit \(limit)" : "")
      """,
      query, isOrdered: isOrdered, { [$0.token, $1.token] }
    ) { world in
      let rows = world.allHauls.filter { condition.value($0, world) }
      let found = Set(rows.map { [one.token($0, world), other.token($0, world)] }).sorted { left, right in
        if left[0] != right[0] { return isReverse ? right[0] < left[0] : left[0] < right[0] }
        return left[1] < right[1]
      }
      return isLimited ? Array(found.prefix(limit)) : found
    }
  }

  // MARK: Groups

  private mutating func grouped<A: AnyHaulTerm, B: AnyHaulTerm>(_ one: A, _ other: B) -> HaulQuestion {
    switch draw(4) {
    case 0: return grouped(one, other, text(1))
    case 1: return grouped(one, other, decimal(1))
    case 2: return grouped(one, other, date(1))
    default: return grouped(one, other, int(1))
    }
  }

  private mutating func grouped<A: AnyHaulTerm, B: AnyHaulTerm, C>(
    _ one: A, _ other: B, _ extreme: HaulTerm<C>
  ) -> HaulQuestion {
    let (condition, number, counted, end) = (condition(1), int(1), optionalText(1), optionalDate(1))
    let (chosen, isWhole) = (self.condition(1), draw(2) == 0)
    let (least, isSorted) = (draw(3), draw(3) == 0)
    let isOrdered = A.Output.isOrdered && B.Output.isOrdered
    let limit = isOrdered && draw(3) == 0 ? draw(4) : nil
    var query = Haul.where { condition.build($0) }
      .grouped(by: { (one.build($0), other.build($0)) }) { group in
        let part = isWhole ? group : group.where { chosen.build($0) }
        return (
          group.key.0, group.key.1, group.count, group.sum { number.build($0) }, part.min { extreme.build($0) },
          part.max { extreme.build($0) }, part.average { number.build($0) },
          part.count(distinct: { counted.build($0) }), part.sum(\.fee), part.max { end.build($0) }, part.count,
          group.count { chosen.build($0) }, part.count(\.fee), part.sum { number.build($0) }
        )
      }
      .having { $0.count >= least }
    if isSorted { query = query.sorted(order: .reverse) { group in group.sum { number.build($0) } } }
    if let limit { query = query.limit(limit) }
    let words = """
      groups by (\(one.text), \(other.text)) where \(condition.text) of at least \(least): sum \(number.text), \
      extremes of \(extreme.text), different \(counted.text), latest \(end.text)\(isWhole ? "" : " where \(chosen.text)")\(isSorted ? " sorted" : "")\(limit.map { " limit \($0)" } ?? "")
      """
    return HaulQuestion(
      words, query, isOrdered: isOrdered,
      {
        [
          $0.token, $1.token, $2.token, $3.token, $4.token, $5.token, $6.token, $7.token, $8.token, $9.token, $10.token,
          $11.token, $12.token, $13.token,
        ]
      }
    ) { world in
      let rows = world.allHauls.filter { condition.value($0, world) }
      let groups = Dictionary(grouping: rows) { [one.token($0, world), other.token($0, world)] }
      var found = groups.filter { $0.value.count >= least }.map { key, rows in
        let sum = rows.reduce(0) { $0 + number.value($1, world) }
        let part = isWhole ? rows : rows.filter { chosen.value($0, world) }
        let partSum = part.reduce(0) { $0 + number.value($1, world) }
        let extremes = part.map { extreme.token($0, world) }
        let different = Set(part.map { counted.token($0, world) }).subtracting([.null])
        let mean = part.isEmpty ? nil : Double(partSum) / Double(part.count)
        return key + [
          rows.count.token, sum.token, extremes.min() ?? .null, extremes.max() ?? .null, mean.token,
          different.count.token, part.reduce(Decimal(0)) { $0 + ($1.fee ?? 0) }.token,
          part.compactMap { end.value($0, world) }.max().token, part.count.token,
          rows.filter { chosen.value($0, world) }.count.token, part.compactMap(\.fee).count.token, partSum.token,
        ]
      }
      found.sort { $0.lexicographicallyPrecedes($1) }
      if isSorted {
        found.sort { $1[3] == $0[3] ? $0.lexicographicallyPrecedes($1) : $1[3] < $0[3] }
      }
      return Array(found.prefix(limit ?? .max))
    }
  }
}
