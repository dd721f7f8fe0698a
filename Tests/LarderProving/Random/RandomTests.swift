public import Foundation

/// Runs the random tests of the test suite again and again, each time with another seed.
public struct RandomTests: ProofPart {
  public static let name = "random"

  /// The suites that draw their cases from the seed.
  public static let suites = [
    "RandomConditionTests", "PagingTests", "RandomAdoptedTableTests", "RandomRenameTests", "RandomRuleTests",
    "RandomLiveTests", "ResultsChangeTests", "ExactArithmeticTests", "JSONTextTests", "UpdateAllTreeTests",
    "DerivedExactnessTests", "ContextMirrorTests", "ContextHistoryTests", "ContextUniqueValueTests",
    "DeleteRuleHistoryTests", "DocumentOracleTests", "DocumentGraphOracleTests", "DocumentOperatorTests",
    "SearchIndexTests", "ContextMirrorKindsTests", "ContextSumTests", "PredicateElementTests",
    "RandomConflictTests", "RandomReplaceTests", "RandomLostCaseTests", "RandomSearchTextTests",
    "RandomLongConditionTests", "RandomModelNameTests", "RandomRequiredTests", "RefusedAssignmentTests",
    "RandomOptionalTests", "RandomKeyFormTests", "RandomDateTests", "RandomExpiryTests",
    "RandomKeyIdentityTests", "ExpiredGroupTests", "StoreCheckJSONTests",
    "RandomNarrowIntegerTests", "RandomDeepDeletionTests", "ContextMovedKeyTests", "RandomValueQueryTests",
    "SQLDecimalTests", "RandomFloatTests", "RandomDerivedChainTests", "RandomForeignKeyTests",
    "RandomAdoptedNumberTests",
  ]

  /// The executable with the tests, as `swift build --build-tests` makes it on Linux.
  private let tests: URL
  private let suites: [String]
  /// How often each kind is tried at least, however long it takes; nil if the run's time and number of cases decide.
  private let each: Int?

  public init(tests: URL, suites: [String] = Self.suites, each: Int? = nil) {
    self.tests = tests
    self.suites = suites
    self.each = each
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Random tests",
      summary: """
        The test suite's random tests (conditions, pages, arithmetic, live results, the same changes in a store, a context and its child, undo, delete \
        rules, documents and their graphs, search, adopted tables, renamed properties, selected values, groups and joins) are run again and again, each time with another seed. Each answer is \
        compared with that of plain Swift.
        """,
      seed: run.seed, unit: "comparisons")
    let watchdog = Watchdog(limit: 600) {
      run.stalled("the tests did not end", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    var seed = run.seed
    var tally = RandomTally(each: each)
    while result.findings.count < 3, each == nil ? result.cases < run.cases && run.isTimeLeft : !tally.isEnough {
      let filter = tally.suitesInDemand(suites).joined(separator: "|")
      let process = try ProvingProcess(
        tests, ["--testing-library", "swift-testing", "--filter", filter],
        environment: [
          "LARDER_TEST_SEED": "\(seed)", "LARDER_TEST_COUNTS": "1",
          "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "2",
        ],
        includesErrors: true)
      var issues: [String] = []
      var tried = 0
      for await line in process.lines {
        watchdog.step()
        if let count = TriedCount(line) {
          tally.add(count)
          tried += count.count
        } else if line.contains("recorded an issue") {
          issues.append(line)
        }
      }
      let end = await process.end()
      if end != .exit(0) || tried == 0 {
        let text = issues.isEmpty ? "the tests ended with \(end)" : issues.prefix(3).joined(separator: "\n      ")
        result.findings.append(Finding(text, reproduction: "LARDER_TEST_SEED=\(seed) swift test --filter '\(filter)'"))
      }
      result.cases += tried
      result.checks += tried
      seed &+= 1000
      run.progress("\(tally), \(result.findings.count) findings")
    }
    for counter in tally.counters { result.count(counter.name, by: counter.value) }
    result.count("runs", by: Int((seed &- run.seed) / 1000))
    return result
  }
}
