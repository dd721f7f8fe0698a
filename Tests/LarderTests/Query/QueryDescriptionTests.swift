import Foundation
import Larder
import Testing

@Suite("Queries as text")
struct QueryDescriptionTests {
  @Test("a query prints as the Swift that makes it")
  func swift() {
    func expect<M: Model>(_ query: Query<M>, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect("\(query)" == text, sourceLocation: sourceLocation)
    }
    expect(Excursion.all, "Excursion.all")
    expect(
      Excursion.where { $0.seats > 3 && $0.name.contains("a\"b") }.sorted(by: \.name, order: .reverse).limit(20),
      #"Excursion.where { $0.seats > 3 && $0.name.contains("a\"b") }.sorted(by: \.name, order: .reverse).limit(20)"#)
    expect(
      Excursion.where { ($0.seats == 1 || $0.country == nil) && !($0.price >= 2.5) }.including(\.halts),
      #"Excursion.where { ($0.seats == 1 || $0.country == nil) && !($0.price >= 2.5) }.including(\.halts)"#)
    expect(
      Excursion.where { $0.name.hasPrefix("Al") && $0.seats.isIn([1, 2]) && $0.seats.isBetween(1, 5) },
      #"Excursion.where { $0.name.hasPrefix("Al") && $0.seats.isIn([1, 2]) && $0.seats.isBetween(1, 5) }"#)
    expect(
      Excursion.where { $0.name.caseInsensitive == "ALPS" && $0.country.or("?") != "CH" && $0.name.hasSuffix("s") },
      #"Excursion.where { $0.name.caseInsensitive == "alps" && $0.country.or("?") != "CH" && $0.name.hasSuffix("s") }"#)
    expect(
      Excursion.where { $0.seats * 2 + 1 > 7 }.sorted { $0.name.length },
      #"Excursion.where { ($0.seats * 2) + 1 > 7 }.sorted(by: \.name.length)"#)
    expect(
      Excursion.where { $0.startsAt < Date(timeIntervalSinceReferenceDate: 0) },
      "Excursion.where { $0.startsAt < 2001-01-01T00:00:00Z }")
    expect(
      Stopover.where { $0.tour.name == "Alps" && $0.tour != nil }.sorted(by: \.tour.price).limit(5, offset: 10),
      #"Stopover.where { $0.tour.name == "Alps" && $0.tour != nil }.sorted(by: \.tour.price).limit(5, offset: 10)"#)
    expect(
      Excursion.where { $0.halts.contains { $0.days > 2 } && $0.halts.count > 1 && !$0.halts.isEmpty },
      "Excursion.where { $0.halts.contains { $0.days > 2 } && $0.halts.count > 1 && !$0.halts.isEmpty }")
    expect(
      Excursion.where { $0.halts.sum(\.days) > 5 && $0.halts.sum { $0.days * 2 } > 7 && $0.halts.max(\.days) == 3 },
      #"Excursion.where { $0.halts.sum(\.days) > 5 && $0.halts.sum { $0.days * 2 } > 7 && $0.halts.max(\.days) == 3 }"#)
    expect(
      Excursion.where { $0.seats.decimal * 2.5 > 10 && ($0.seats / $0.seats).or(0) == 1 },
      "Excursion.where { $0.seats.decimal * 2.5 > 10 && ($0.seats / $0.seats).or(0) == 1 }")
    expect(
      Excursion.where { ($0.seats.decimal / 3).rounded(scale: 2, .bankers) != 1.5 },
      "Excursion.where { ($0.seats.decimal / 3).rounded(scale: 2, .bankers) != 1.5 }")
    expect(
      Excursion.where { $0.startsAt.timeIntervalSince(Date(timeIntervalSinceReferenceDate: 0)) > 60 },
      "Excursion.where { $0.startsAt.timeIntervalSince(2001-01-01T00:00:00Z) > 60.0 }")
    expect(
      Excursion.where { $0.startsAt.month(in: .gmt) == $0.startsAt.week(in: .gmt, firstWeekday: 1) },
      "Excursion.where { $0.startsAt.month(in: .gmt) == $0.startsAt.week(in: .gmt, firstWeekday: 1) }")
    expect(
      Town.where { town in Stopover.exists { $0.city == town.name } },
      "Town.where { Stopover.exists { $0.city == row.name } }")
  }

  @Test("selections, groups, joins and unions print as the Swift that makes them")
  func values() {
    func expect(_ query: some ValueQuery, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect("\(query)" == text, sourceLocation: sourceLocation)
    }
    expect(Excursion.select(\.name), #"Excursion.all.select(\.name)"#)
    expect(
      Stopover.where { $0.days > 1 }.select(\.city, \.tour.name).distinct().limit(3),
      #"Stopover.where { $0.days > 1 }.limit(3).select(\.city, \.tour.name).distinct()"#)
    expect(
      Excursion.select { ($0.name, $0.seats * 2, $0.halts.count) },
      "Excursion.all.select { ($0.name, $0.seats * 2, $0.halts.count) }")
    expect(
      Stopover.all.grouped(by: \.city) { ($0.key, $0.count, $0.sum(\.days), $0.max(\.days)) }.having { $0.count > 1 }
        .sorted(order: .reverse) { $0.sum(\.days) }.limit(2),
      #"Stopover.all.grouped(by: \.city) { ($0.key, $0.count, $0.sum(\.days), $0.max(\.days)) }.having { $0.count > 1 }.sorted(order: .reverse) { $0.sum(\.days) }.limit(2)"#
    )
    expect(
      Excursion.all.grouped(by: { $0.startsAt.month(in: .gmt) }) { ($0.key, $0.sum(\.price)) },
      #"Excursion.all.grouped(by: { $0.startsAt.month(in: .gmt) }) { ($0.key, $0.sum(\.price)) }"#)
    expect(
      Stopover.all.grouped(by: { ($0.city, $0.days > 1) }) {
        ($0.key.1, $0.count(distinct: \.id), $0.sum { $0.days * 2 })
      },
      #"Stopover.all.grouped(by: { ($0.city, $0.days > 1) }) { ($0.key.1, $0.count(distinct: \.id), $0.sum { $0.days * 2 }) }"#
    )
    expect(
      Stopover.join(Town.self) { $0.city == $1.name }.where { $0.days > 1 && $1.name != "x" }.sorted { $1.name }
        .select { ($0.days, $1.name) },
      #"Stopover.all.join(Town.self) { $0.city == $1.name }.where { $0.days > 1 && $1.name != "x" }.sorted { $1.name }.select { ($0.days, $1.name) }"#
    )
    expect(
      Stopover.select(\.city).union(Town.select(\.name)).sorted(.reverse).limit(1),
      #"Stopover.all.select(\.city).union(Town.all.select(\.name)).sorted(.reverse).limit(1)"#)
  }

  @Test("what has no short form prints as SQL, and nothing traps")
  func others() {
    let query = Excursion.where { SQL("\($0.seats) % 2 = \(1)").as(Bool.self) && $0.name.matches(/a+/) }
    #expect("\(query)".hasPrefix("Excursion.where { SQL(\""))
    let tree = Twig.descendants(of: 1, through: \.parent)
    #expect("\(tree)".hasPrefix("Twig.where { "))
    #expect("\(Excursion.where { $0.name == "x" }.reversed())".contains("order: .reverse"))
    let failed = Excursion.where { $0.price > Decimal.nan }
    #expect("\(failed)".contains("/* "))
  }

  @Test("the plan names the SQL, the steps, and what grows with the table")
  func plans() async throws {
    let store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try await store.insert((1...1200).map { Stopover(id: $0, city: "c\($0)", days: 1) })
    let scan = try await Stopover.where { $0.city == "c7" }.sorted(by: \.days).explain(in: store)
    #expect(scan.sql.hasPrefix("SELECT ") && scan.steps.first == "SCAN Stopover")
    #expect(scan.warnings.count == 2)
    #expect(scan.warnings.first?.contains("Each row of Stopover is read") == true)
    #expect(scan.warnings.last?.contains("are sorted each time") == true)
    #expect("\(scan)".contains("Warning: Each row"))
    let key = try await Stopover.where { $0.id == 7 }.explain(in: store)
    #expect(key.warnings == [] && key.steps.first?.hasPrefix("SEARCH Stopover") == true)
    #expect(try await Stopover.where { $0.tour == 1 }.explain(in: store).warnings == [])
    #expect(try await Stopover.all.explain(in: store).warnings == [])
    #expect(try await Excursion.where { $0.seats == 1 }.explain(in: store).warnings == [])
    let groups = try await Stopover.where { $0.days > 0 }.grouped(by: \.city) { $0.count }.explain(in: store)
    #expect(groups.warnings.count == 1)
  }
}
