import Foundation
import Larder
import Testing

/// What `#Predicate` says in SQL finds the rows for which the predicate itself is true.
@Suite struct PredicateTests {
  let sample: SpecimenSample

  /// Foundation compares text by canonical equivalence and the database by bytes: the texts here have one form each.
  init() throws { sample = try SpecimenSample(texts: Specimen.Pool.plainTexts) }

  private func check(
    _ predicate: Predicate<Specimen>, isTelling: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try sample.check(Specimen.where(predicate), isTelling: isTelling, sourceLocation: sourceLocation) {
      try predicate.evaluate($0)
    }
  }

  @Test("C4: comparisons with constants and between columns")
  func comparisons() throws {
    let (text, day, price, token) = ("a", Specimen.Pool.dates[0], Specimen.Pool.decimals[4], Specimen.Pool.tokens[1])
    try check(#Predicate { $0.name == text })
    try check(#Predicate { $0.name != "abc" })
    try check(#Predicate { $0.name < "b" })
    try check(#Predicate { "b" <= $0.name })
    try check(#Predicate { $0.amount > 1 && $0.amount <= 7 })
    try check(#Predicate { $0.amount < 0 || $0.isLive })
    try check(#Predicate { !$0.isLive })
    try check(#Predicate { !($0.amount == 1) })
    try check(#Predicate { $0.weight >= 0.1 })
    try check(#Predicate { $0.price == price })
    try check(#Predicate { $0.price < price })
    try check(#Predicate { $0.bornAt == day })
    try check(#Predicate { $0.seenAt == day })
    try check(#Predicate { $0.seenAt > day })
    try check(#Predicate { $0.seenAt < $0.bornAt })
    try check(#Predicate { $0.token == token })
    try check(#Predicate { $0.amount == $0.id }, isTelling: false)
    try check(#Predicate { $0.rank == $0.bonus })
    try check(#Predicate { $0.nickname != $0.alias })
    try check(#Predicate { _ in true }, isTelling: false)
    try check(#Predicate { _ in false }, isTelling: false)
  }

  @Test("optionals: nil, unwrapping, chaining, coalescing")
  func optionals() throws {
    let (none, some, day): (Int?, Int?, Date) = (nil, 2, Specimen.Pool.dates[1])
    try check(#Predicate { $0.rank == nil })
    try check(#Predicate { $0.rank != nil })
    try check(#Predicate { $0.rank == none })
    try check(#Predicate { $0.rank == some })
    try check(#Predicate { $0.rank != some })
    try check(#Predicate { $0.leftAt == day })
    try check(#Predicate { ($0.rank ?? 0) > 1 })
    try check(#Predicate { ($0.rank ?? $0.amount) == 7 })
    try check(#Predicate { ($0.leftAt ?? day) == day })
    try check(#Predicate { ($0.fee ?? 1) > 1 })
    try check(#Predicate { $0.nickname?.contains("b") == true })
    try check(#Predicate { $0.nickname?.contains("b") != true })
    try check(#Predicate { $0.nickname?.contains("b") ?? true })
    try check(#Predicate { $0.nickname?.isEmpty == false })
    try check(#Predicate { $0.nickname?.count == 1 })
    try check(#Predicate { ($0.nickname?.count ?? 9) > 3 })
    try check(#Predicate { $0.notes?.count == 1 })
    try check(#Predicate { $0.notes?.contains("red") == true })
    try check(#Predicate { $0.rank.flatMap { $0 + 1 } == 3 })
    try check(#Predicate { $0.rank != nil && $0.rank! > 1 })
  }

  @Test("if let: without a value the else decides")
  func ifLet() throws {
    let day = Specimen.Pool.dates[2]
    try check(
      #Predicate {
        if let rank = $0.rank { rank != 1 } else { false }
      })
    try check(
      #Predicate {
        if let rank = $0.rank { rank > 1 } else { true }
      })
    try check(
      #Predicate {
        if let leftAt = $0.leftAt { leftAt > day } else { $0.isLive }
      })
    try check(
      #Predicate {
        if let level = $0.nickname { level.starts(with: "a") } else { false }
      })
    try check(
      #Predicate {
        if $0.isLive { $0.amount > 0 } else { $0.amount < 0 }
      })
  }

  @Test("arithmetic and the ternary operator")
  func arithmetic() throws {
    try check(#Predicate { $0.amount + 1 > 3 })
    try check(#Predicate { $0.amount * 2 - 1 == 5 })
    try check(#Predicate { -$0.amount > 0 })
    try check(#Predicate { $0.amount / 2 == 1 })
    try check(#Predicate { $0.amount % 2 == 1 })
    try check(#Predicate { $0.weight / 2 < 0.1 })
    try check(#Predicate { $0.weight + 0.2 == 0.30000000000000004 })
    try check(#Predicate { $0.price + $0.price > 3 })
    try check(#Predicate { $0.price * 2 < 3 })
    try check(#Predicate { ($0.isLive ? $0.amount : -$0.amount) > 0 })
    try check(#Predicate { ($0.isLive ? $0.seenAt : $0.bornAt) == $0.bornAt })
    try check(#Predicate { ($0.amount > 0 ? "a" : "b") == $0.name })
  }

  @Test("ranges contain a column")
  func ranges() throws {
    let (low, high) = (0, 3)
    try check(#Predicate { (0...3).contains($0.amount) })
    try check(#Predicate { (low..<high).contains($0.amount) })
    try check(#Predicate { ($0.amount...100).contains($0.id) })
    let days = Specimen.Pool.dates.sorted()
    let (span, tail, head, through) = (days[1]...days[3], 2..., ..<2, ...2)
    try check(#Predicate { span.contains($0.seenAt) })
    try check(#Predicate { span.contains($0.bornAt) })
    try check(#Predicate { tail.contains($0.amount) })
    try check(#Predicate { head.contains($0.amount) })
    try check(#Predicate { through.contains($0.amount) })
    try check(#Predicate { !((0...3).contains($0.amount)) })
  }

  @Test("a constant collection contains a column")
  func lists() throws {
    let (numbers, texts, tokens) = ([1, 2, 7], Set(["a", "abc", "it's"]), Array(Specimen.Pool.tokens[..<2]))
    let (ranks, days, shades): ([Int?], [Date], [Shade]) = (
      [1, nil], Array(Specimen.Pool.dates[..<2]), [.light, .dark]
    )
    try check(#Predicate { numbers.contains($0.amount) })
    try check(#Predicate { texts.contains($0.name) })
    try check(#Predicate { tokens.contains($0.token) })
    try check(#Predicate { ranks.contains($0.rank) })
    try check(#Predicate { days.contains($0.seenAt) })
    try check(#Predicate { days.contains($0.bornAt) })
    try check(#Predicate { shades.contains($0.shade) })
    try check(#Predicate { !numbers.contains($0.amount) })
    let none: [Int] = []
    try check(#Predicate { none.contains($0.amount) }, isTelling: false)
  }

  @Test("text contains, begins, is empty, is counted, matches")
  func text() throws {
    let part = "bc"
    try check(#Predicate { $0.name.contains(part) })
    try check(#Predicate { $0.name.contains("%") })
    try check(#Predicate { $0.name.contains("") }, isTelling: false)
    try check(#Predicate { $0.name.contains($0.name) }, isTelling: false)
    try check(#Predicate { $0.name.starts(with: "ab") })
    try check(#Predicate { $0.name.isEmpty })
    try check(#Predicate { $0.name.count > 2 })
    try check(#Predicate { $0.data.count == 2 })
    try check(#Predicate { $0.data.isEmpty })
  }

  @Test("enums, embedded structs and raw values")
  func types() throws {
    let (shade, level): (Shade, Level?) = (.mid, .high)
    try check(#Predicate { $0.shade == shade })
    try check(#Predicate { $0.shade != shade })
    try check(#Predicate { $0.level == level })
    try check(#Predicate { $0.level == nil })
    try check(#Predicate { $0.measure.width > 0.1 })
    try check(#Predicate { $0.measure.unit == "cm" })
    try check(#Predicate { $0.measure.unit == nil })
  }

  @Test("collections that are kept as JSON")
  func json() throws {
    let word = "red"
    try check(#Predicate { $0.tags.contains(word) })
    try check(#Predicate { !$0.tags.contains("it's") })
    try check(#Predicate { $0.marks.contains($0.amount) })
    try check(#Predicate { $0.tags.contains($0.name) }, isTelling: false)
    try check(#Predicate { $0.tags.count == 2 })
    try check(#Predicate { $0.tags.isEmpty })
    try check(#Predicate { $0.tags.first == word })
    try check(#Predicate { $0.tags.last == "x.y" })
    try check(#Predicate { $0.scores["b.c"] == 7 })
    try check(#Predicate { $0.scores["b.c"] == nil })
    try check(#Predicate { ($0.scores["b.c"] ?? 0) > 1 })
    try check(#Predicate { $0.scores["q\"r", default: 3] > 2 })
    try check(#Predicate { $0.scores.isEmpty }, isTelling: false)
    try check(#Predicate { $0.scores.count == 2 })
    try check(#Predicate { $0.marks.count == 2 })
    try check(#Predicate { !$0.tags.isEmpty && $0.tags[0] == "red" })
  }

  @Test("some or every element of a collection satisfies a condition")
  func elements() throws {
    try check(#Predicate { $0.tags.contains { $0 == "red" || $0.starts(with: "b") } })
    try check(#Predicate { $0.marks.contains { $0 > 3 } })
    try check(#Predicate { $0.marks.allSatisfy { $0 >= 0 } })
    try check(#Predicate { row in row.marks.contains { $0 > row.amount } })
    try check(#Predicate { row in row.marks.contains { mark in mark > 2 && row.tags.contains { $0.count == 3 } } })
    try check(#Predicate { !$0.tags.allSatisfy { $0 != "red" } })
  }

  @Test("what SQL cannot say is refused by the name of the operator")
  func refused() throws {
    func expect(
      _ predicate: Predicate<Specimen>, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
        try sample.db.fetch(Specimen.where(predicate))
      }
      #expect(error.code == .unsupported, sourceLocation: sourceLocation)
      #expect(error.model == "Specimen", sourceLocation: sourceLocation)
      #expect(error.message.contains(name), "\(error.message)", sourceLocation: sourceLocation)
    }
    try expect(#Predicate { $0.tags.filter { $0 == "red" }.count == 1 }, "Filter")
    try expect(#Predicate { $0.marks.max() == 3 }, "SequenceMaximum")
    try expect(#Predicate { $0.marks.min() == 3 }, "SequenceMinimum")
    try expect(#Predicate { $0.isOdd }, "key path")
    try expect(#Predicate { $0.tags[$0.amount] == "x" }, "CollectionIndexSubscript")
    try expect(#Predicate { $0.scores[$0.name] == 1 }, "DictionaryKeySubscript")
    try expect(#Predicate { $0.name.starts(with: $0.name) }, "starts(with:)")
    try expect(#Predicate { $0.tags[0..<1].contains("x") }, "CollectionRangeSubscript")
  }

  @Test("a refused condition is refused by every verb, whatever comes after it")
  func refusedEverywhere() throws {
    let query = Specimen.where(#Predicate { $0.isOdd }).where { $0.amount > 1 }.sorted(by: \.name).limit(3)
    #expect(throws: StoreError.self) { try sample.db.count(query) }
    #expect(throws: StoreError.self) { try sample.db.first(query) }
    #expect(throws: StoreError.self) { try sample.db.deleteAll(query) }
    #expect(throws: StoreError.self) { try sample.db.updateAll(query) { $0.name.set("x") } }
    #expect(throws: StoreError.self) {
      try sample.db.fetch(Specimen.where(#Predicate { $0.isOdd }).grouped(by: \.shade) { $0.count })
    }
    #expect(try sample.db.count(Specimen.all) == sample.rows.count)
  }
}

extension Specimen {
  fileprivate var isOdd: Bool { amount % 2 != 0 }
}
