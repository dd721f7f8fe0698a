import Foundation
import Larder
import LarderTestSupport

/// Queries for joined rows, and for rows of a tree.
extension HaulTerms {
  /// A condition for the rows of both models.
  private struct Link: Sendable {
    let text: String
    let build: @Sendable (Haul.Columns, Pier.Columns) -> QueryExpression<Bool>
    let value: @Sendable (Haul, Pier, HaulWorld) -> Bool
  }

  private mutating func link() -> Link {
    switch draw(5) {
    case 0:
      return Link(
        text: "code == id", build: { $0.code == $1.id }, value: { row, pier, _ in row.code.token == pier.id.token })
    case 1:
      return Link(
        text: "pier.name == name", build: { $0.pier.name == $1.name },
        value: { row, pier, world in world.pier(of: row)?.name.token ?? .null == pier.name.token })
    case 2:
      let number = int(1)
      return Link(
        text: "\(number.text) < size", build: { number.build($0) < $1.size },
        value: { row, pier, world in number.value(row, world) < pier.size })
    case 3:
      return Link(
        text: "a haul of the pier has the amount",
        build: { row, pier in pier.hauls.contains { $0.amount == row.amount } },
        value: { row, pier, world in
          world.allHauls.contains { $0.pier.token == pier.id.token && $0.amount == row.amount }
        })
    default:
      let inner = condition(1)
      return Link(
        text: "some \(inner.text) of the size, not itself",
        build: { row, pier in Haul.exists { inner.build($0) && $0.amount == pier.size && $0.id != row.id } },
        value: { row, pier, world in
          world.allHauls.contains { inner.value($0, world) && $0.amount == pier.size && $0.id != row.id }
        })
    }
  }

  /// Hauls and piers.
  mutating func joined<A: AnyHaulTerm>(_ term: A) -> HaulQuestion {
    let (link, condition, own) = (link(), condition(1), condition(1))
    let (limit, offset) = (draw(2) == 0 ? nil : draw(8), draw(2))
    let words = "joined by \(link.text) where \(condition.text) and \(own.text) limit \(limit ?? -1) offset \(offset)"
    @Sendable func page(_ all: [[Token]]) -> [[Token]] {
      limit.map { Array(all.dropFirst(offset).prefix($0)) } ?? all
    }
    if draw(2) == 0 {
      let hasName = draw(2) == 0
      var query = Haul.where { condition.build($0) }.leftJoin(Pier.self) { link.build($0, $1) }
        .where { row, pier in own.build(row) && (hasName ? pier.size > 0 || pier.name == nil : pier.name == nil) }
        .sorted { row, _ in row.id }.sorted { _, pier in pier.id }
      if let limit { query = query.limit(limit, offset: offset) }
      return HaulQuestion("left \(words), \(hasName)", query, { $0.tokens + ($1?.tokens ?? []) }) { world in
        var pairs: [[Token]] = []
        for row in world.allHauls where condition.value(row, world) && own.value(row, world) {
          let piers = world.allPiers.filter { link.value(row, $0, world) }
          if piers.isEmpty { pairs.append(row.tokens) }
          for pier in piers where pier.name == nil || (hasName && pier.size > 0) {
            pairs.append(row.tokens + pier.tokens)
          }
        }
        return page(pairs)
      }
    }
    var query = Haul.where { condition.build($0) }.join(Pier.self) { link.build($0, $1) }
      .where { row, _ in own.build(row) }.sorted { row, _ in row.id }.sorted { _, pier in pier.id }
      .select { (term.build($0), $1.name, $1.size + $0.amount, $1.hauls.count) }
    if let limit { query = query.limit(limit, offset: offset) }
    return HaulQuestion("\(term.text) \(words)", query, { [$0.token, $1.token, $2.token, $3.token] }) { world in
      page(
        world.allHauls.filter { condition.value($0, world) && own.value($0, world) }.flatMap { row in
          world.allPiers.filter { link.value(row, $0, world) }.map { pier in
            [
              term.token(row, world), pier.name.token, (pier.size + row.amount).token,
              world.allHauls.filter { $0.pier.token == pier.id.token }.count.token,
            ]
          }
        })
    }
  }

  /// Groups of hauls and piers.
  mutating func joinedGroups<A: AnyHaulTerm>(_ term: A) -> HaulQuestion {
    let (link, condition, number, least) = (link(), condition(1), int(1), draw(3))
    let (chosen, isWhole) = (self.condition(1), draw(2) == 0)
    let limit = A.Output.isOrdered && draw(3) == 0 ? draw(4) : nil
    var query = Haul.where { condition.build($0) }.join(Pier.self) { link.build($0, $1) }
      .grouped(by: { (term.build($0), $1.name) }) { group in
        let part = isWhole ? group : group.where { row, _ in chosen.build(row) }
        return (
          group.key.0, group.key.1, group.count, group.sum { $1.size + number.build($0) },
          part.max { row, _ in row.rank },
          part.min { _, pier in pier.toll }, part.count(distinct: { row, _ in row.code }),
          part.average { row, _ in row.amount }, group.count { row, _ in chosen.build(row) }, part.count
        )
      }
      .having { $0.count >= least }
    if let limit { query = query.limit(limit) }
    return HaulQuestion(
      "groups by (\(term.text), name) of pairs by \(link.text) where \(condition.text) of at least \(least), sum of \(number.text), chosen by \(isWhole ? "" : chosen.text), limit \(limit ?? -1)",
      query, isOrdered: A.Output.isOrdered,
      { [$0.token, $1.token, $2.token, $3.token, $4.token, $5.token, $6.token, $7.token, $8.token, $9.token] }
    ) { world in
      let pairs = world.allHauls.filter { condition.value($0, world) }.flatMap { row in
        world.allPiers.filter { link.value(row, $0, world) }.map { (row, $0) }
      }
      let groups = Dictionary(grouping: pairs) { [term.token($0.0, world), $0.1.name.token] }
      let found = groups.filter { $0.value.count >= least }.map { key, pairs in
        let sum = pairs.reduce(0) { $0 + $1.1.size + number.value($1.0, world) }
        let part = isWhole ? pairs : pairs.filter { chosen.value($0.0, world) }
        let amounts = part.reduce(0) { $0 + $1.0.amount }
        let mean = part.isEmpty ? nil : Double(amounts) / Double(part.count)
        return key + [
          pairs.count.token, sum.token, part.compactMap(\.0.rank).max().token, part.map(\.1.toll).min().token,
          Set(part.map(\.0.code.token)).count.token, mean.token,
          pairs.filter { chosen.value($0.0, world) }.count.token, part.count.token,
        ]
      }
      return Array(found.sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit ?? .max))
    }
  }

  /// Hauls and hauls.
  mutating func joined<A: AnyHaulTerm, B: AnyHaulTerm>(_ one: A, _ other: B) -> HaulQuestion {
    let (condition, least) = (condition(1), draw(6))
    let query = Haul.where { $0.id > least }.join(Haul.self) { one.build($0) == one.build($1) && condition.build($1) }
      .sorted { left, _ in left.id }.sorted { _, right in right.id }
      .select { ($0.id, $1.id, other.build($1), one.build($0)) }
    return HaulQuestion(
      "hauls after \(least) joined by \(one.text) with \(condition.text): \(other.text)", query,
      { [$0.token, $1.token, $2.token, $3.token] }
    ) { world in
      world.allHauls.filter { $0.id > least }.flatMap { left in
        world.allHauls.filter { right in
          one.token(left, world) == one.token(right, world) && condition.value(right, world)
        }.map { [left.id.token, $0.id.token, other.token($0, world), one.token(left, world)] }
      }
    }
  }

  /// The rows below or above one.
  mutating func tree<A: AnyHaulTerm>(_ term: A) -> HaulQuestion {
    let (condition, key, isBelow) = (condition(1), 1 + draw(12), draw(2) == 0)
    let tree = isBelow ? Haul.descendants(of: key, through: \.parent) : Haul.ancestors(of: key, through: \.parent)
    let words = "\(isBelow ? "below" : "above") \(key) where \(condition.text)"
    let query = tree.where { condition.build($0) }.sorted(by: \.id)
    let rows = { @Sendable (world: HaulWorld) in
      world.tree(of: key, isBelow: isBelow).filter { condition.value($0, world) }
    }
    switch draw(3) {
    case 0: return HaulQuestion(words, query) { rows($0).map(\.tokens) }
    case 1:
      return HaulQuestion("\(term.text) \(words)", query.select { ($0.id, term.build($0)) }, { [$0.token, $1.token] }) {
        world in rows(world).map { [$0.id.token, term.token($0, world)] }
      }
    default:
      let outside = Haul.where { row in !row.id.isIn(tree.select(\.id)) && condition.build(row) }.sorted(by: \.id)
      return HaulQuestion("not \(words)", outside) { world in
        let inside = Set(world.tree(of: key, isBelow: isBelow).map(\.id))
        return world.allHauls.filter { !inside.contains($0.id) && condition.value($0, world) }.map(\.tokens)
      }
    }
  }
}
