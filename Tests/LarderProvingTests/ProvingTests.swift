import Foundation
import LarderProving
import Testing

/// A few seconds of each part of `make proof`. One after another: each part uses both processors.
@Suite("What make proof does, in short", .serialized, .timeLimit(.minutes(60)))
struct ProvingTests {
  @Test("processes that write are killed, and nothing acknowledged is lost") func kills() async throws {
    try await ShortRun.expectNothing(of: Kills(), seed: 1, cases: 20)
  }

  @Test("tasks are cancelled at any moment in every verb, and the store says what it was told")
  func cancellations() async throws {
    try await ShortRun.expectNothing(of: Cancellations(), seed: 2, cases: 2000)
  }

  @Test("random operations give what plain Swift values give", arguments: [3, 8, 12, 21] as [UInt64]) func model(
    seed: UInt64
  ) async throws {
    try await ShortRun.expectNothing(of: ModelRun(operations: 250), seed: seed, cases: 250)
  }

  @Test(
    "a clock that leaps a year ahead or back deletes nothing at once, and what is saved afterwards is there",
    arguments: [5, 6, 7, 9] as [UInt64])
  func leaps(seed: UInt64) async throws {
    try await ShortRun.expectNothing(of: ModelRun(operations: 120, leaps: 200), seed: seed, cases: 120)
  }

  @Test("archives with a hostile content are decoded or refused, whatever their kind") func archives() async throws {
    try await ShortRun.expectNothing(of: HostileArchives(chunk: 50), seed: 8, cases: 400)
  }

  @Test("replicas that write and meet at random end with the same rows, and lose nothing") func sync() async throws {
    try await ShortRun.expectNothing(of: SyncRuns(), seed: 11, cases: 3)
  }

  #if os(Linux)
  @Test("the random tests are run with other seeds, and what they have tried is counted") func random() async throws {
    let tests = try ShortRun.executable().deletingLastPathComponent().appending(component: "larderPackageTests.xctest")
    try await ShortRun.expectNothing(
      of: RandomTests(tests: tests, suites: ["ExactArithmeticTests"]), seed: 9, cases: 401)
  }
  #endif

  @Test("damaged files and logs give an error or a right answer, never a trap") func damage() async throws {
    try await ShortRun.expectNothing(of: DamageRun(), seed: 4, cases: 120)
  }

  @Test("a store and its log that are cut off beside every boundary, and in between, give an error or a right answer")
  func cuts() async throws {
    try await ShortRun.expectNothing(of: DamageRun(cuts: 60), seed: 10, cases: 400)
  }

  @Test("the log stays short while readers overlap, and shrinks when they stop") func log() async throws {
    try await ShortRun.expectNothing(
      of: OverlappingReaders(time: .seconds(3), patience: .seconds(300)), seed: 6, cases: 1)
  }

  @Test("commits of another process are seen under writers that never pause") func foreign() async throws {
    try await ShortRun.expectNothing(of: ForeignCommits(limit: nil), seed: 7, cases: 20)
  }

  @Test("stores that were let go of leave no file, thread or memory behind") func resources() async throws {
    #if os(Linux)
    try await ShortRun.expectNothing(of: StoresOpenedAndClosed(), seed: 5, cases: 40)
    #endif
  }
}
