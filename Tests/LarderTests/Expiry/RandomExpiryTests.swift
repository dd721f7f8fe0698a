import Foundation
import Testing

/// Rows that expire beside plain Swift: changes of all kinds, leaps of the clock and sweeps, and after each of them
/// everything that reads.
@Suite("Rows that expire: random changes", .timeLimit(.minutes(10)))
struct RandomExpiryTests {
  @Test("no read, page or live result shows a row after its end, or misses one before it", arguments: 0..<6)
  func steps(_ number: Int) async throws {
    let seed = TestSeed.value &+ UInt64(number)
    let run = try ExpiryRun(seed: seed, isFile: number.isMultiple(of: 2))
    for step in 0..<60 {
      do {
        try await run.step()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)\nafter:\n\(run.story)")
        return
      }
    }
    TestSeed.tried(run.comparisons, "reads of rows that expire")
  }
}
