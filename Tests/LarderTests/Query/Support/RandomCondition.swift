import Foundation
import Larder
import LarderTestSupport

/// A random condition, as a query says it and as plain Swift says it.
struct RandomCondition {
  let expression: QueryExpression<Bool>
  let matches: (Specimen) -> Bool
  /// The condition as a person writes it for a ``TableQuery``.
  let text: String

  private init(
    _ text: String, _ condition: (Specimen.Columns) -> some QueryExpressible<Bool>,
    _ matches: @escaping (Specimen) -> Bool
  ) {
    self.text = text
    expression = condition(Specimen.columns).expression
    self.matches = matches
  }

  /// A tree of at most so many levels of `&&`, `||` and `!` over comparisons.
  init(depth: Int, using generator: inout SplitMix64) {
    guard depth > 0, !generator.once(in: 4) else {
      self = Self.leaf(using: &generator)
      return
    }
    let left = RandomCondition(depth: depth - 1, using: &generator)
    if generator.once(in: 4) {
      self.init("!(\(left.text))", { _ in !left.expression }, { !left.matches($0) })
      return
    }
    let right = RandomCondition(depth: depth - 1, using: &generator)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0...3:
      self.init(
        "(\(left.text) && \(right.text))", { _ in left.expression && right.expression },
        { left.matches($0) && right.matches($0) })
    case 4...7:
      self.init(
        "(\(left.text) || \(right.text))", { _ in left.expression || right.expression },
        { left.matches($0) || right.matches($0) })
    default:
      self.init(
        "((\(left.text)) == (\(right.text)))", { _ in left.expression == right.expression },
        { left.matches($0) == right.matches($0) })
    }
  }

  private static func leaf(using generator: inout SplitMix64) -> RandomCondition {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: numbers(using: &generator)
    case 1: optionalNumbers(using: &generator)
    case 2: texts(using: &generator)
    case 3: optionalTexts(using: &generator)
    case 4: decimals(using: &generator)
    case 5: dates(using: &generator)
    case 6: others(using: &generator)
    default: collections(using: &generator)
    }
  }

  private static func numbers(using generator: inout SplitMix64) -> RandomCondition {
    let (a, b) = (generator.pick(Specimen.Pool.integers), generator.pick(Specimen.Pool.integers))
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .init("amount == \(a)", { $0.amount == a }, { $0.amount == a })
    case 1: return .init("amount < \(a)", { $0.amount < a }, { $0.amount < a })
    case 2: return .init("\(a) >= amount", { a >= $0.amount }, { a >= $0.amount })
    case 3:
      return .init(
        "amount * \(a) + \(b) > amount", { $0.amount * a + b > $0.amount }, { $0.amount * a + b > $0.amount })
    case 4: return .init("amount in [\(a), \(b)]", { $0.amount.isIn([a, b]) }, { $0.amount == a || $0.amount == b })
    case 5:
      return .init("amount between \(a) and \(b)", { $0.amount.isBetween(a, b) }, { $0.amount >= a && $0.amount <= b })
    case 6: return .init("-amount != \(a)", { -$0.amount != a }, { -$0.amount != a })
    default: return .init("weight <= \(a)", { $0.weight <= Double(a) }, { $0.weight <= Double(a) })
    }
  }

  private static func optionalNumbers(using generator: inout SplitMix64) -> RandomCondition {
    let a = generator.pickOrNil(Specimen.Pool.integers)
    let b = generator.pick(Specimen.Pool.integers)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: return .init("rank == \(a.words)", { $0.rank == a }, { $0.rank == a })
    case 1: return .init("\(a.words) != rank", { a != $0.rank }, { a != $0.rank })
    case 2: return .init("rank > \(b)", { $0.rank > b }, { $0.rank.map { $0 > b } ?? false })
    case 3: return .init("rank == bonus", { $0.rank == $0.bonus }, { $0.rank == $0.bonus })
    case 4: return .init("rank != amount", { $0.rank != $0.amount }, { $0.rank != $0.amount })
    case 5: return .init("rank ?? \(b) < amount", { $0.rank.or(b) < $0.amount }, { ($0.rank ?? b) < $0.amount })
    case 6: return .init("rank in (\(a.words), \(b))", { $0.rank.isIn([a, b]) }, { $0.rank == a || $0.rank == b })
    case 7:
      return .init(
        "rank + bonus >= \(b)", { $0.rank + $0.bonus >= b },
        { row in row.rank.flatMap { rank in row.bonus.map { rank + $0 >= b } } ?? false })
    default:
      return .init("score < weight", { $0.score < $0.weight }, { row in row.score.map { $0 < row.weight } ?? false })
    }
  }

  private static func texts(using generator: inout SplitMix64) -> RandomCondition {
    let text = generator.pick(Specimen.Pool.texts)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .init("name == \(text.words)", { $0.name == text }, { $0.name.isSame(as: text) })
    case 1: return .init("name < \(text.words)", { $0.name < text }, { $0.name.precedes(text) })
    case 2: return .init("name contains \(text.words)", { $0.name.contains(text) }, { $0.name.holds(text) })
    case 3: return .init("name hasPrefix \(text.words)", { $0.name.hasPrefix(text) }, { $0.name.begins(with: text) })
    case 4: return .init("name hasSuffix \(text.words)", { $0.name.hasSuffix(text) }, { $0.name.ends(with: text) })
    case 5 where generator.once(in: 2):
      return .init(
        "\(text.words) == name.caseInsensitive", { text == $0.name.caseInsensitive },
        { $0.name.uppercased().lowercased().isSame(as: text.uppercased().lowercased()) })
    default:
      return .init(
        "name.caseInsensitive == \(text.words)", { $0.name.caseInsensitive == text },
        { $0.name.uppercased().lowercased().isSame(as: text.uppercased().lowercased()) })
    }
  }

  private static func optionalTexts(using generator: inout SplitMix64) -> RandomCondition {
    let text = generator.pick(Specimen.Pool.texts)
    let maybe = generator.pickOrNil([text])
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .init("nickname == \(maybe.words)", { $0.nickname == maybe }, { same($0.nickname, maybe) })
    case 1: return .init("nickname != \(maybe.words)", { $0.nickname != maybe }, { !same($0.nickname, maybe) })
    case 2:
      return .init(
        "nickname contains \(text.words)", { $0.nickname.contains(text) }, { $0.nickname?.holds(text) ?? false })
    case 3:
      return .init(
        "(nickname is not nil and nickname not contains \(text.words))", { $0.nickname.notContains(text) },
        { $0.nickname.map { !$0.holds(text) } ?? false })
    case 4: return .init("nickname == alias", { $0.nickname == $0.alias }, { same($0.nickname, $0.alias) })
    default:
      return .init(
        "nickname hasPrefix \(text.words)", { $0.nickname.hasPrefix(text) },
        { $0.nickname?.begins(with: text) ?? false })
    }
  }

  private static func same(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isSame(as: right)
  }

  private static func decimals(using generator: inout SplitMix64) -> RandomCondition {
    let (a, b) = (generator.pick(Specimen.Pool.decimals), generator.pick(Specimen.Pool.decimals))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .init("price == \(a)", { $0.price == a }, { $0.price == a })
    case 1: return .init("price < \(a)", { $0.price < a }, { $0.price < a })
    case 2: return .init("price + \(a) > \(b)", { $0.price + a > b }, { $0.price + a > b })
    case 3: return .init("fee >= \(a)", { $0.fee >= a }, { $0.fee.map { $0 >= a } ?? false })
    case 4: return .init("fee != price", { $0.fee != $0.price }, { $0.fee != $0.price })
    default:
      return .init("price between \(a) and \(b)", { $0.price.isBetween(a, b) }, { $0.price >= a && $0.price <= b })
    }
  }

  private static func dates(using generator: inout SplitMix64) -> RandomCondition {
    let date = generator.pick(Specimen.Pool.dates)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .init("bornAt == \(date.words)", { $0.bornAt == date }, { $0.bornAt == date })
    case 1: return .init("diedAt > \(date.words)", { $0.diedAt > date }, { $0.diedAt.map { $0 > date } ?? false })
    case 2: return .init("seenAt <= \(date.words)", { $0.seenAt <= date }, { $0.seenAt <= date })
    case 3: return .init("leftAt != \(date.words)", { $0.leftAt != date }, { $0.leftAt != date })
    case 4: return .init("leftAt == seenAt", { $0.leftAt == $0.seenAt }, { $0.leftAt == $0.seenAt })
    default:
      return .init("diedAt < bornAt", { $0.diedAt < $0.bornAt }, { row in row.diedAt.map { $0 < row.bornAt } ?? false })
    }
  }

  private static func others(using generator: inout SplitMix64) -> RandomCondition {
    let token = generator.pick(Specimen.Pool.tokens)
    let shade = generator.pick(Shade.allCases)
    let level = generator.pickOrNil(Level.allCases)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .init("isLive", { $0.isLive }, { $0.isLive })
    case 1: return .init("isKnown == true", { $0.isKnown == true }, { $0.isKnown == true })
    case 2: return .init("token == \(token.uuidString.words)", { $0.token == token }, { $0.token == token })
    case 3: return .init("parent != \(token.uuidString.words)", { $0.parent != token }, { $0.parent != token })
    case 4: return .init("shade != \(shade.rawValue.words)", { $0.shade != shade }, { $0.shade != shade })
    case 5: return .init("level == \(level.map(\.rawValue).words)", { $0.level == level }, { $0.level == level })
    case 6: return .init("measure.unit == nil", { $0.measure.unit == nil }, { $0.measure.unit == nil })
    default: return .init("measure.width > 0", { $0.measure.width > 0 }, { $0.measure.width > 0 })
    }
  }

  private static func collections(using generator: inout SplitMix64) -> RandomCondition {
    let word = generator.pick(Specimen.Pool.words)
    let number = generator.pick(Specimen.Pool.integers)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .init("tags contains \(word.words)", { $0.tags.contains(word) }, { $0.tags.contains(word) })
    case 1:
      return .init("notes contains \(word.words)", { $0.notes.contains(word) }, { $0.notes?.contains(word) ?? false })
    case 2: return .init("marks contains \(number)", { $0.marks.contains(number) }, { $0.marks.contains(number) })
    case 3: return .init("tags.count > 2", { $0.tags.count > 2 }, { $0.tags.count > 2 })
    case 4: return .init("scores[\"b.c\"] == \(number)", { $0.scores["b.c"] == number }, { $0.scores["b.c"] == number })
    default: return .init("place.city == 'Paris'", { $0.place["city"] == "Paris" }, { $0.place.city == "Paris" })
    }
  }
}

// MARK: - Constants as a person writes them

extension String {
  fileprivate var words: String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\0": text.append(contentsOf: "\\0".unicodeScalars)
      case "\"", "\\": text.append(contentsOf: "\\\(scalar)".unicodeScalars)
      default: text.append(scalar)
      }
    }
    return "\"\(String(text))\""
  }
}

extension Date {
  fileprivate var words: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

extension String? {
  fileprivate var words: String { map(\.words) ?? "nil" }
}

extension Int? {
  fileprivate var words: String { map { "\($0)" } ?? "nil" }
}
