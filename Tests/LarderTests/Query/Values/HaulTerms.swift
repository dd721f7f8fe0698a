import Foundation
import Larder
import LarderTestSupport

/// Draws values of rows.
struct HaulTerms {
  var generator: SplitMix64
  let zone: TimeZone
  private let calendar: Calendar

  static let zones = ["GMT", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia", "Europe/Zurich"]

  init(_ generator: SplitMix64) {
    self.generator = generator
    zone = TimeZone(identifier: self.generator.pick(Self.zones)) ?? .gmt
    var calendar = Calendar(identifier: .gregorian)
    (calendar.timeZone, calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (zone, 2, 4)
    self.calendar = calendar
  }

  mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  /// A value of any type.
  mutating func any(_ depth: Int = 1) -> any AnyHaulTerm {
    switch draw(14) {
    case 0: int(depth)
    case 1: optionalInt(depth)
    case 2: text(depth)
    case 3: optionalText(depth)
    case 4: decimal(depth)
    case 5: optionalDecimal(depth)
    case 6: date(depth)
    case 7: optionalDate(depth)
    case 8: double()
    case 9, 10: condition(depth)
    case 11: json()
    case 12: reference()
    default: other()
    }
  }

  // MARK: Numbers

  mutating func int(_ depth: Int) -> HaulTerm<Int> {
    guard depth > 0 else {
      return draw(2) == 0
        ? HaulTerm("amount", { $0.amount }, { row, _ in row.amount })
        : HaulTerm("id", { $0.id }, { row, _ in row.id })
    }
    let inner = int(depth - 1)
    switch draw(14) {
    case 0:
      return HaulTerm("(\(inner.text) * 2)", { inner.build($0) * 2 }, { inner.value($0, $1) * 2 })
    case 1:
      let other = int(depth - 1)
      return HaulTerm(
        "(\(inner.text) - \(other.text))", { inner.build($0) - other.build($0) },
        { inner.value($0, $1) - other.value($0, $1) })
    case 2:
      return HaulTerm("(\(inner.text) / 2)", { inner.build($0) / 2 }, { inner.value($0, $1) / 2 })
    case 3:
      let maybe = optionalInt(depth - 1)
      return HaulTerm(
        "(\(maybe.text) ?? \(inner.text))", { maybe.build($0).or(inner.build($0)) },
        { maybe.value($0, $1) ?? inner.value($0, $1) })
    case 4:
      return HaulTerm("children.count", { $0.children.count }, { $1.children(of: $0).count })
    case 5:
      let condition = condition(depth - 1)
      return HaulTerm(
        "children.where(\(condition.text)).count", { $0.children.where { condition.build($0) }.count },
        { row, world in world.children(of: row).filter { condition.value($0, world) }.count })
    case 6:
      return HaulTerm(
        "children.sum(rank)", { $0.children.sum(\.rank) },
        { $1.children(of: $0).reduce(0) { $0 + ($1.rank ?? 0) } })
    case 7: return HaulTerm("tags.count", { $0.tags.count }, { row, _ in row.tags.count })
    case 8:
      let (part, component) = pickPart()
      let (date, zone, calendar) = (date(depth - 1), zone, calendar)
      return HaulTerm(
        "\(part)(\(date.text))", { date.build($0).component(part, in: zone) },
        { calendar.value(of: component, date.value($0, $1)) })
    case 9:
      return HaulTerm(
        "hauls.count(amount < \(inner.text))",
        { row in
          let bound = inner.build(row)
          return Haul.count { $0.amount < bound }
        },
        { row, world in world.allHauls.filter { $0.amount < inner.value(row, world) }.count })
    case 10:
      return HaulTerm(
        "piers.count(name == code)", { row in Pier.count { $0.name == row.code } },
        { row, world in world.allPiers.filter { $0.name.token == row.code.token }.count })
    case 11:
      return HaulTerm(
        "code.length", { $0.code.length }, { row, _ in row.code.unicodeScalars.prefix { $0 != "\0" }.count })
    case 12: return sql(depth - 1)
    default: return inner
    }
  }

  mutating func optionalInt(_ depth: Int) -> HaulTerm<Int?> {
    let leaf = HaulTerm("rank", { $0.rank }, { row, _ in row.rank })
    guard depth > 0 else { return leaf }
    switch draw(10) {
    case 8:
      return HaulTerm(
        "pier.gauge", { $0.pier.gauge },
        { row, world in world.pier(of: row).map { world.hauls(at: $0).count * 10 + $0.size } })
    case 9:
      return HaulTerm(
        "pier.greatest", { $0.pier.greatest },
        { row, world in world.pier(of: row).flatMap { world.hauls(at: $0).map(\.amount).max() } })
    case 0: return HaulTerm("pier.size", { $0.pier.size }, { $1.pier(of: $0)?.size })
    case 1: return HaulTerm("parent.amount", { $0.parent.amount }, { $1.parent(of: $0)?.amount })
    case 2:
      return HaulTerm(
        "parent.parent.rank", { $0.parent.parent.rank },
        { row, world in world.parent(of: row).flatMap(world.parent)?.rank })
    case 3:
      return HaulTerm(
        "children.max(amount)", { $0.children.max(\.amount) }, { $1.children(of: $0).map(\.amount).max() })
    case 4:
      return HaulTerm(
        "children.min(rank)", { $0.children.min(\.rank) }, { $1.children(of: $0).compactMap(\.rank).min() })
    case 5:
      let (inner, other) = (int(depth - 1), optionalInt(depth - 1))
      return HaulTerm(
        "(\(inner.text) + \(other.text))", { inner.build($0) + other.build($0) },
        { row, world in other.value(row, world).map { inner.value(row, world) + $0 } })
    case 6:
      let (part, component) = pickPart()
      let (date, zone, calendar) = (optionalDate(depth - 1), zone, calendar)
      return HaulTerm(
        "\(part)(\(date.text))", { date.build($0).component(part, in: zone) },
        { row, world in date.value(row, world).map { calendar.value(of: component, $0) } })
    default: return leaf
    }
  }

  mutating func decimal(_ depth: Int) -> HaulTerm<Decimal> {
    let leaf = HaulTerm("price", { $0.price }, { row, _ in row.price })
    guard depth > 0 else { return leaf }
    switch draw(7) {
    case 5:
      let inner = int(depth - 1)
      return HaulTerm(
        "(\(inner.text).decimal * price)", { inner.build($0).decimal * $0.price },
        { Decimal(inner.value($0, $1)) * $0.price })
    case 6:
      let (inner, scale) = (decimal(depth - 1), draw(4) - 1)
      let mode = generator.pick([NSDecimalNumber.RoundingMode.plain, .down, .up, .bankers])
      return HaulTerm(
        "\(inner.text).rounded(\(scale), \(mode.rawValue))", { inner.build($0).rounded(scale: scale, mode) },
        { row, world in
          var (number, rounded) = (inner.value(row, world), Decimal())
          NSDecimalRound(&rounded, &number, scale, mode)
          return rounded
        })
    case 0:
      let inner = decimal(depth - 1)
      return HaulTerm("(\(inner.text) * 2)", { inner.build($0) * 2 }, { inner.value($0, $1) * 2 })
    case 1:
      let maybe = optionalDecimal(depth - 1)
      return HaulTerm(
        "(\(maybe.text) ?? price)", { maybe.build($0).or($0.price) }, { maybe.value($0, $1) ?? $0.price })
    case 2:
      return HaulTerm(
        "children.sum(price)", { $0.children.sum(\.price) },
        { $1.children(of: $0).reduce(0) { $0 + $1.price } })
    default: return leaf
    }
  }

  mutating func optionalDecimal(_ depth: Int) -> HaulTerm<Decimal?> {
    let leaf = HaulTerm("fee", { $0.fee }, { row, _ in row.fee })
    guard depth > 0 else { return leaf }
    switch draw(6) {
    case 5: return HaulTerm("rank.decimal", { $0.rank.decimal }, { row, _ in row.rank.map { Decimal($0) } })
    case 0: return HaulTerm("pier.toll", { $0.pier.toll }, { $1.pier(of: $0)?.toll })
    case 1: return HaulTerm("parent.fee", { $0.parent.fee }, { $1.parent(of: $0)?.fee })
    case 2:
      return HaulTerm(
        "children.min(price)", { $0.children.min(\.price) }, { $1.children(of: $0).map(\.price).min() })
    case 3:
      return HaulTerm(
        "(fee + price)", { $0.fee + $0.price }, { row, _ in row.fee.map { $0 + row.price } })
    default: return leaf
    }
  }

  mutating func double() -> HaulTerm<Double> {
    switch draw(4) {
    case 3:
      HaulTerm(
        "at.timeIntervalSince(day)", { $0.at.timeIntervalSince($0.day) },
        { row, _ in row.at.timeIntervalSince(row.day) })
    case 0: HaulTerm("weight", { $0.weight }, { row, _ in row.weight })
    case 1: HaulTerm("measure.width", { $0.measure.width }, { row, _ in row.measure.width })
    default: HaulTerm("amount.double * 0.5", { $0.amount.double * 0.5 }, { row, _ in Double(row.amount) * 0.5 })
    }
  }

  private mutating func pickPart() -> (CalendarPart, Calendar.Component) {
    generator.pick([
      (.year, .year), (.quarter, .quarter), (.month, .month), (.week, .weekOfYear), (.day, .day), (.weekday, .weekday),
      (.hour, .hour), (.minute, .minute),
    ])
  }

  // MARK: Dates

  mutating func date(_ depth: Int) -> HaulTerm<Date> {
    let leaf =
      draw(2) == 0
      ? HaulTerm("at", { $0.at }, { row, _ in row.at })
      : HaulTerm("day", { $0.day }, { row, _ in row.day })
    guard depth > 0 else { return leaf }
    switch draw(4) {
    case 0:
      let maybe = optionalDate(depth - 1)
      return HaulTerm(
        "(\(maybe.text) ?? \(leaf.text))", { maybe.build($0).or(leaf.build($0)) },
        { maybe.value($0, $1) ?? leaf.value($0, $1) })
    case 1:
      let (inner, period) = (date(depth - 1), Period.pick(&self))
      return HaulTerm(
        "\(period)(\(inner.text))", { [zone] in period.start(of: inner.build($0), zone) },
        { [calendar] in period.start(of: inner.value($0, $1), calendar) })
    default: return leaf
    }
  }

  mutating func optionalDate(_ depth: Int) -> HaulTerm<Date?> {
    let leaf =
      draw(2) == 0
      ? HaulTerm("due", { $0.due }, { row, _ in row.due })
      : HaulTerm("left", { $0.left }, { row, _ in row.left })
    guard depth > 0 else { return leaf }
    switch draw(6) {
    case 0: return HaulTerm("parent.at", { $0.parent.at }, { $1.parent(of: $0)?.at })
    case 1: return HaulTerm("parent.day", { $0.parent.day }, { $1.parent(of: $0)?.day })
    case 2:
      return HaulTerm(
        "children.max(day)", { $0.children.max(\.day) }, { $1.children(of: $0).map(\.day).max() })
    case 3:
      let (inner, period) = (optionalDate(depth - 1), Period.pick(&self))
      return HaulTerm(
        "\(period)(\(inner.text))", { [zone] in period.start(of: inner.build($0), zone) },
        { [calendar] row, world in inner.value(row, world).map { period.start(of: $0, calendar) } })
    default: return leaf
    }
  }

  /// A period of a calendar.
  private enum Period: CaseIterable {
    case year, month, week, day, hour

    static func pick(_ terms: inout HaulTerms) -> Period { terms.generator.pick(allCases) }

    func start<Output: QueryDate & StoredValue>(
      of date: QueryExpression<Output>, _ zone: TimeZone
    ) -> QueryExpression<Output> {
      switch self {
      case .year: date.year(in: zone)
      case .month: date.month(in: zone)
      case .week: date.week(in: zone)
      case .day: date.day(in: zone)
      case .hour: date.hour(in: zone)
      }
    }

    func start(of date: Date, _ calendar: Calendar) -> Date {
      let component: Calendar.Component =
        switch self {
        case .year: .year
        case .month: .month
        case .week: .weekOfYear
        case .day: .day
        case .hour: .hour
        }
      return calendar.dateInterval(of: component, for: date)?.start ?? .distantPast
    }
  }
}
