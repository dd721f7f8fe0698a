import Testing

@testable import LarderProving

/// What the random tests print of what they tried, and how long they go on.
@Suite struct RandomTallyTests {
  private func tried(_ line: String) throws -> TriedCount { try #require(TriedCount(line)) }

  @Test("a count has a kind, a suite and a subject; other lines are none") func lines() throws {
    let count = try tried("tried 2000 live checks in RandomLiveTests: of rows in a file")
    #expect(count.count == 2000 && count.kind == "live checks")
    #expect(count.suite == "RandomLiveTests" && count.subject == "of rows in a file")
    for line in ["tried 3 things in A: b", "tried in vain", "", "tried x queries in A: b", "tried 3 queries of rows"] {
      #expect(TriedCount(line) == nil, "\(line)")
    }
  }

  @Test("the sums are those of the kinds, and each must be reached") func sums() throws {
    var tally = RandomTally(each: 10)
    #expect(tally.suitesInDemand(["A", "B", "C"]) == ["A", "B", "C"])
    tally.add(try tried("tried 6 queries in A: of rows"))
    tally.add(try tried("tried 6 queries in A: of pages"))
    tally.add(try tried("tried 20 operations in B: changes"))
    tally.add(try tried("tried 9 live checks in C: of rows"))
    #expect(!tally.isEnough)
    #expect(tally.suitesInDemand(["A", "B", "C"]) == ["C"])
    tally.add(try tried("tried 1 live checks in C: of rows"))
    #expect(tally.isEnough)
    #expect(tally.counters.prefix(3).map(\.name) == ["operations", "queries", "live checks"])
    #expect(tally.counters.prefix(3).map(\.value) == [20, 12, 10])
    #expect(tally.counters.contains { $0.name == "queries: of pages" && $0.value == 6 })
  }
}
