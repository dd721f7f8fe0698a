import Larder
import LarderTestSupport
import Testing

private enum Full: String { case a, b, c, d }
private enum Fewer: String { case a, b, c }
private enum FullList: String, CaseIterable { case a, b, c, d }
private enum FewerList: String, CaseIterable { case a, b, c }

private enum Before {
  @Model("Note") struct Plain { var id: Int; var kind: Full? }
  @Model("Note") struct Indexed { var id: Int; @Attribute(.indexed) var kind: Full? }
  @Model("Note") struct Listed { var id: Int; var kind: FullList? }
  @Model("Note") struct Real { var id: Int; var kind: Double? }
}

private enum After {
  @Model("Note") struct Plain { var id: Int; var kind: Fewer?; var text = "" }
  @Model("Note") struct Indexed { var id: Int; @Attribute(.indexed) var kind: Fewer? }
  @Model("Note") struct Listed { var id: Int; var kind: FewerList? }
  @Model("Note") struct Single { var id: Int; var kind: Float? }
}

/// Enums that lose a case that some rows have, anywhere in the table, or none.
@Suite("Random rows with a case that an enum has lost")
struct RandomLostCaseTests {
  private enum Kind: CaseIterable { case plain, indexed, listed }

  @Test("opening and the plan refuse the file exactly if a row holds the case, and a migration corrects it")
  func rounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 79)
    for round in 0..<45 {
      let count = Int.random(in: 1...600, using: &generator)
      let names = (1...count).map { _ in generator.pick(["a", "b", "c", nil]) }
      let lost = Bool.random(using: &generator) ? nil : Int.random(in: 0..<count, using: &generator)
      let kind = Kind.allCases[round % 3]
      let place = "seed \(TestSeed.value), round \(round): \(kind), \(lost as Any) of \(count)"
      let file = try StoreFile()
      func name(_ id: Int) -> String? { id - 1 == lost ? "d" : names[id - 1] }
      switch kind {
      case .plain:
        try file.write((1...count).map { Before.Plain(id: $0, kind: name($0).flatMap(Full.init)) })
        try check(After.Plain.self, file, isLost: lost != nil, count, place)
      case .indexed:
        try file.write((1...count).map { Before.Indexed(id: $0, kind: name($0).flatMap(Full.init)) })
        try check(After.Indexed.self, file, isLost: lost != nil, count, place)
      case .listed:
        try file.write((1...count).map { Before.Listed(id: $0, kind: name($0).flatMap(FullList.init)) })
        try check(After.Listed.self, file, isLost: lost != nil, count, place)
      }
    }
    TestSeed.tried(45, .operations, "files with an enum that lost a case")
  }

  @Test(
    "opening and the plan refuse a file exactly if a row holds a number that Float would round, and a migration corrects it"
  )
  func singles() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 101)
    for round in 0..<20 {
      let count = Int.random(in: 1...600, using: &generator)
      let lost = Bool.random(using: &generator) ? nil : Int.random(in: 0..<count, using: &generator)
      let rounded = generator.pick([0.1, 16_777_217, 1e300, -1e-300, .greatestFiniteMagnitude])
      let file = try StoreFile()
      try file.write(
        (0..<count).map { id in
          Before.Real(id: id, kind: id == lost ? rounded : generator.pick([0.5, -2, 16_777_216, 0, .infinity, nil]))
        })
      let place = "seed \(TestSeed.value), round \(round): \(rounded), \(lost as Any) of \(count)"
      try check(
        After.Single.self, file, isLost: lost != nil, count, place,
        correction: "update Note set kind = null where id = \(lost ?? -1)")
    }
    TestSeed.tried(20, .operations, "files with numbers that become single")
  }

  private func check<M: Model>(
    _ model: M.Type, _ file: StoreFile, isLost: Bool, _ count: Int, _ place: String,
    correction: SQL = "update Note set kind = null where kind = 'd'"
  ) throws {
    if isLost {
      let planned = #expect(throws: StoreError.self, "\(place)") { _ = try Store.plan(at: file.path, for: M.self) }
      #expect(planned?.code == .schemaMismatch, "\(place)")
      let opened = #expect(throws: StoreError.self, "\(place)") { _ = try file.open(M.self) }
      #expect(opened?.code == .schemaMismatch, "\(place)")
      let correction = Migration("correct") { db in try db.sql(correction) }
      #expect(try file.open(M.self, migrations: [correction]).blocking.fetch(M.all).count == count, "\(place)")
    } else {
      #expect(try file.open(M.self).blocking.fetch(M.all).count == count, "\(place)")
    }
  }
}
