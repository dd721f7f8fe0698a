import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct RandomConditionTests {
  @Test("a thousand random conditions, typed and as texts, find what plain Swift finds")
  func trees() throws {
    let seed = TestSeed.value
    let sample = try SpecimenSample(seed: seed, count: 60)
    var generator = SplitMix64(seed: ~seed)
    var telling = 0
    for number in 0..<1000 {
      let condition = RandomCondition(depth: Int.random(in: 1...5, using: &generator), using: &generator)
      let expected = sample.rows.filter(condition.matches).map(\.id)
      let query = Specimen.where { _ in condition.expression }
      let found = try sample.ids(query)
      try #require(found == expected, "seed \(seed), tree \(number): \(condition.text)")
      #expect(try sample.db.count(query) == expected.count, "seed \(seed), tree \(number): \(condition.text)")
      let written = TableQuery("Specimen").where(condition.text)
      let read = try sample.db.rows(written).map { try $0.get("id", as: Int.self) }
      try #require(read == expected, "seed \(seed), tree \(number), as a text: \(condition.text)")
      if !expected.isEmpty, expected.count < sample.rows.count { telling += 1 }
    }
    TestSeed.tried(3000, .queries, "of rows")
    #expect(telling > 500, "seed \(seed): too few conditions tell anything")
  }
}
