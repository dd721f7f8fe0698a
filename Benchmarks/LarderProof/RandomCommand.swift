import ArgumentParser
import Foundation
import LarderProving

struct RandomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: RandomTests.name, abstract: "Runs the random tests of the test suite, each time with another seed.")

  @OptionGroup var options: RunOptions

  @Option(help: "The executable with the tests, which `swift build --build-tests` makes.")
  var tests = ".build/debug/larderPackageTests.xctest"

  func run() async throws {
    try await options.run(RandomTests(tests: URL(filePath: tests)))
  }
}
