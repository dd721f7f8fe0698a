import Testing

@testable import Larder

@Suite("Store: reads on a task's own thread")
struct BriefReadTests {
  @Test("one read that is given up changes nothing, two in a row send the next ones elsewhere for a while")
  func givenUp() {
    var reads = BriefReads()
    func run(takesLong: Bool) -> Bool {
      guard reads.begin() else { return false }
      if takesLong { reads.giveUp() } else { reads.end() }
      return true
    }
    // A machine that is busy now and then.
    for number in 0..<100 { #expect(run(takesLong: number.isMultiple(of: 2))) }
    // A long statement.
    #expect(run(takesLong: true))
    #expect(run(takesLong: true))
    for _ in 0..<BriefReads.retryInterval { #expect(!run(takesLong: true)) }
    #expect(run(takesLong: true))
    for _ in 0..<BriefReads.retryInterval { #expect(!run(takesLong: true)) }
    // It has become short.
    #expect(run(takesLong: false))
    #expect(run(takesLong: true))
    #expect(run(takesLong: false))
  }
}
