import Foundation
import Larder
import LarderTestSupport

/// Texts, and values that have no order of their own.
extension HaulTerms {
  mutating func text(_ depth: Int) -> HaulTerm<String> {
    let leaf = HaulTerm("code", { $0.code }, { row, _ in row.code })
    guard depth > 0 else { return leaf }
    switch draw(5) {
    case 0:
      let inner = text(depth - 1)
      return HaulTerm("(\(inner.text) + \"-\")", { inner.build($0) + "-" }, { inner.value($0, $1) + "-" })
    case 1:
      let (maybe, inner) = (optionalText(depth - 1), text(depth - 1))
      return HaulTerm(
        "(\(maybe.text) ?? \(inner.text))", { maybe.build($0).or(inner.build($0)) },
        { maybe.value($0, $1) ?? inner.value($0, $1) })
    case 2:
      return HaulTerm(
        "(code + code)", { $0.code + $0.code },
        // Joined texts aren't normalized.
        { row, _ in String(decoding: Array(row.code.utf8) + Array(row.code.utf8), as: UTF8.self) })
    default: return leaf
    }
  }

  mutating func optionalText(_ depth: Int) -> HaulTerm<String?> {
    let leaf =
      draw(2) == 0
      ? HaulTerm("label", { $0.label }, { row, _ in row.label })
      : HaulTerm("measure.unit", { $0.measure.unit }, { row, _ in row.measure.unit })
    guard depth > 0 else { return leaf }
    switch draw(6) {
    case 0: return HaulTerm("pier.name", { $0.pier.name }, { $1.pier(of: $0)?.name })
    case 1: return HaulTerm("parent.code", { $0.parent.code }, { $1.parent(of: $0)?.code })
    case 2:
      return HaulTerm(
        "children.max(code)", { $0.children.max(\.code) },
        { $1.children(of: $0).map(\.code).max { $0.token < $1.token } })
    case 3:
      return HaulTerm(
        "parent.pier.name", { $0.parent.pier.name },
        { row, world in world.parent(of: row).flatMap(world.pier)?.name })
    default: return leaf
    }
  }

  mutating func json() -> any AnyHaulTerm {
    switch draw(3) {
    case 0: HaulTerm("tags", { $0.tags }, { row, _ in row.tags })
    case 1: HaulTerm("marks", { $0.marks }, { row, _ in row.marks })
    default: HaulTerm("token", { $0.token }, { row, _ in row.token })
    }
  }

  mutating func reference() -> any AnyHaulTerm {
    draw(2) == 0
      ? HaulTerm("pier", { $0.pier }, { row, _ in row.pier })
      : HaulTerm("parent", { $0.parent }, { row, _ in row.parent })
  }

  mutating func other() -> any AnyHaulTerm {
    switch draw(3) {
    case 0: HaulTerm("shade", { $0.shade }, { row, _ in row.shade })
    case 1: HaulTerm("level", { $0.level }, { row, _ in row.level })
    default: HaulTerm("isKnown", { $0.isKnown }, { row, _ in row.isKnown })
    }
  }
}
