import ArgumentParser
import Foundation
import LarderProving

struct RandomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: RandomTests.name, abstract: "Runs the random tests of the test suite, each time with another seed.")

  @OptionGroup var options: RunOptions

  @Option(help: "The executable with the tests, which `swift build --build-tests` makes.")
  var tests = ".build/debug/larderPackageTests.xctest"

  @Option(help: "A suite to run, such as RandomConditionTests; may be given several times. Without it, all of them.")
  var suite: [String] = []

  @Option(
    help: "How many operations, queries and live checks are made at least, so many of each, however long it takes.")
  var each: Int?

  func run() async throws {
    let suites = suite.isEmpty ? RandomTests.suites : suite
    try await options.run(RandomTests(tests: URL(filePath: tests), suites: suites, each: each))
  }
}
