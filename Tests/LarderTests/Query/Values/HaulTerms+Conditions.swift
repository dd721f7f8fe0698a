import Foundation
import Larder
import LarderTestSupport

/// Conditions: comparisons of drawn values, and subqueries.
extension HaulTerms {
  mutating func condition(_ depth: Int) -> HaulTerm<Bool> {
    guard depth > 0 else { return leaf() }
    switch draw(15) {
    case 13:
      return HaulTerm(
        "pier.isHarbour == false", { $0.pier.isHarbour == false },
        { row, world in world.pier(of: row).map { $0.name?.hasPrefix("H") != true } ?? false })
    case 14:
      return HaulTerm(
        "pier.isHarbour == nil", { $0.pier.isHarbour == nil }, { row, world in world.pier(of: row) == nil })
    case 11:
      return HaulTerm(
        "pier.isNamed == true", { $0.pier.isNamed == true }, { row, world in world.pier(of: row)?.name != nil })
    case 12:
      return HaulTerm(
        "parent.isRoot ?? false", { $0.parent.isRoot.or(false) },
        { row, world in world.parent(of: row).map { $0.parent == nil } ?? false })
    case 0:
      let (left, right) = (condition(depth - 1), condition(depth - 1))
      return HaulTerm(
        "(\(left.text) && \(right.text))", { left.build($0) && right.build($0) },
        { left.value($0, $1) && right.value($0, $1) })
    case 1:
      let (left, right) = (condition(depth - 1), condition(depth - 1))
      return HaulTerm(
        "(\(left.text) || \(right.text))", { left.build($0) || right.build($0) },
        { left.value($0, $1) || right.value($0, $1) })
    case 2:
      let inner = condition(depth - 1)
      return HaulTerm("!\(inner.text)", { !inner.build($0) }, { !inner.value($0, $1) })
    case 3: return equality(int(depth - 1), int(depth - 1))
    case 4: return equality(optionalText(depth - 1), optionalText(depth - 1))
    case 5: return equality(date(depth - 1), date(depth - 1))
    case 6: return equality(optionalDecimal(depth - 1), optionalDecimal(depth - 1))
    case 7: return order(depth - 1)
    case 8: return related(depth - 1)
    default: return membership(depth - 1)
    }
  }

  private mutating func leaf() -> HaulTerm<Bool> {
    switch draw(3) {
    case 0: return HaulTerm("isOpen", { $0.isOpen }, { row, _ in row.isOpen })
    case 1: return HaulTerm("isKnown == true", { $0.isKnown == true }, { row, _ in row.isKnown == true })
    default:
      let bound = generator.pick([-1, 0, 2])
      // False for nil.
      return HaulTerm(
        "rank > \(bound)", { $0.rank > bound }, { row, _ in row.rank.map { $0 > bound } ?? false })
    }
  }

  /// Nil equals nil, as in Swift.
  private func equality<Output>(_ left: HaulTerm<Output>, _ right: HaulTerm<Output>) -> HaulTerm<Bool> {
    HaulTerm(
      "(\(left.text) == \(right.text))", { left.build($0) == right.build($0) },
      { left.token($0, $1) == right.token($0, $1) })
  }

  private mutating func order(_ depth: Int) -> HaulTerm<Bool> {
    switch draw(4) {
    case 0: return less(optionalInt(depth), optionalInt(depth))
    case 1: return less(decimal(depth), decimal(depth))
    case 2: return less(optionalDate(depth), optionalDate(depth))
    default: return less(optionalText(depth), optionalText(depth))
    }
  }

  private func less<Output>(_ left: HaulTerm<Output>, _ right: HaulTerm<Output>) -> HaulTerm<Bool> {
    HaulTerm(
      "(\(left.text) < \(right.text))", { left.build($0) < right.build($0) },
      { row, world in
        let (left, right) = (left.token(row, world), right.token(row, world))
        return left != .null && right != .null && left < right
      })
  }

  /// Conditions on other rows that use the row around them.
  private mutating func related(_ depth: Int) -> HaulTerm<Bool> {
    let (inner, own) = (condition(depth), int(depth))
    switch draw(6) {
    case 0:
      return HaulTerm(
        "children.contains(\(inner.text))", { $0.children.contains { inner.build($0) } },
        { row, world in world.children(of: row).contains { inner.value($0, world) } })
    case 1:
      return HaulTerm(
        "children.allSatisfy(\(inner.text))", { $0.children.allSatisfy { inner.build($0) } },
        { row, world in world.children(of: row).allSatisfy { inner.value($0, world) } })
    case 2:
      return HaulTerm(
        "exists other \(own.text) == amount && \(inner.text)",
        { row in
          let amount = row.amount
          return Haul.exists { own.build($0) == amount && inner.build($0) }
        },
        { row, world in world.allHauls.contains { own.value($0, world) == row.amount && inner.value($0, world) } })
    case 3:
      return HaulTerm(
        "exists pier of size > \(own.text)",
        { row in
          let bound = own.build(row)
          return Pier.exists { $0.size > bound }
        },
        { row, world in world.allPiers.contains { $0.size > own.value(row, world) } })
    case 4:
      return HaulTerm(
        "exists pier that is its", { row in Pier.exists { $0.id == row.code || $0.hauls.contains { $0.amount > 2 } } },
        { row, world in
          world.allPiers.contains { pier in
            pier.id.token == row.code.token
              || world.allHauls.contains { $0.pier.token == pier.id.token && $0.amount > 2 }
          }
        })
    default:
      return HaulTerm("parent.isOpen == true", { $0.parent.isOpen == true }, { $1.parent(of: $0)?.isOpen == true })
    }
  }

  // MARK: Values of other queries

  private mutating func membership(_ depth: Int) -> HaulTerm<Bool> {
    switch draw(12) {
    case 0: return membership(int(depth), rows(int(depth)))
    case 1: return membership(optionalInt(depth), rows(optionalInt(depth)))
    case 2: return membership(text(depth), rows(text(depth)))
    case 3: return membership(optionalText(depth), rows(optionalText(depth)))
    case 4: return membership(decimal(depth), rows(decimal(depth)))
    case 5: return membership(optionalDate(depth), rows(optionalDate(depth)))
    case 6: return membership(date(depth), rows(date(depth)))
    case 7:
      let (term, rows) = (optionalDate(depth), rows(date(depth)))
      return HaulTerm(
        "(\(term.text) in \(rows.text))", { term.build($0).isIn(rows.query) },
        { row, world in rows.values(world).contains { $0.token == term.token(row, world) } })
    case 8:
      let (term, rows) = (decimal(depth), rows(optionalDecimal(depth)))
      return HaulTerm(
        "(\(term.text) in \(rows.text))", { term.build($0).isIn(rows.query) },
        { row, world in rows.values(world).contains { $0.token == term.token(row, world) } })
    case 9:
      let rows = rows(HaulTerm("parent", { $0.parent }, { row, _ in row.parent }))
      return HaulTerm(
        "(id in \(rows.text))", { $0.id.isIn(rows.query) },
        { row, world in rows.values(world).contains { $0.token == row.id.token } })
    case 10:
      let own = int(depth)
      return HaulTerm(
        "(code in piers of size > \(own.text))",
        { row in row.code.isIn(Pier.where { $0.size > own.build(row) }.select(\.id)) },
        { row, world in
          world.allPiers.contains { $0.size > own.value(row, world) && $0.id.token == row.code.token }
        })
    default:
      return HaulTerm(
        "(label in names of piers)", { $0.label.isIn(Pier.where { $0.size > 0 }.select(\.name)) },
        { row, world in world.allPiers.contains { $0.size > 0 && $0.name.token == row.label.token } })
    }
  }

  private func membership<Output>(_ term: HaulTerm<Output>, _ rows: HaulValues<Output>) -> HaulTerm<Bool> {
    HaulTerm(
      "(\(term.text) in \(rows.text))", { term.build($0).isIn(rows.query) },
      { row, world in rows.values(world).contains { $0.token == term.token(row, world) } })
  }

  private mutating func rows<Output>(_ term: HaulTerm<Output>) -> HaulValues<Output> {
    let condition = condition(0)
    let query = Haul.where { condition.build($0) }
    let limit = draw(3)
    switch draw(3) {
    case 0:
      return HaulValues(
        text: "last \(limit) \(term.text) where \(condition.text)",
        query: query.sorted(by: \.id, order: .reverse).limit(limit).select { term.build($0) },
        values: { world in
          world.allHauls.filter { condition.value($0, world) }.suffix(limit).map { term.value($0, world) }
        })
    case 1:
      return HaulValues(
        text: "distinct \(term.text) where \(condition.text)", query: query.select { term.build($0) }.distinct(),
        values: { world in world.allHauls.filter { condition.value($0, world) }.map { term.value($0, world) } })
    default:
      return HaulValues(
        text: "\(term.text) where \(condition.text)", query: query.select { term.build($0) },
        values: { world in world.allHauls.filter { condition.value($0, world) }.map { term.value($0, world) } })
    }
  }
}

/// The values that a query selects.
private struct HaulValues<Output: Tokenized>: Sendable {
  let text: String
  let query: SelectedQuery<Haul, Output>
  let values: @Sendable (HaulWorld) -> [Output]
}
