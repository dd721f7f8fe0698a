import ArgumentParser
import Foundation
import LarderTestSupport
import Testing

@testable import LarderTool

/// What is installed beside the command: its manual, and completions for shells.
@Suite("larder: manual pages and completions", .timeLimit(.minutes(20)))
struct ToolInstallationTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

  private func run(_ program: String, _ arguments: [String]) throws -> (output: String, status: Int32) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text, process.terminationStatus)
  }

  /// The verbs, and those of verbs that have some, each as its manual page is named.
  private static func titles(_ command: any ParsableCommand.Type, _ title: String) -> [String] {
    var titles = [title]
    for sub in command.configuration.subcommands {
      titles += Self.titles(sub, "\(title)-\(sub.configuration.commandName ?? "")")
    }
    return titles
  }

  @Test("there is a manual page for each verb, with its options and examples")
  func manual() throws {
    let folder = try TemporaryFolder()
    let script = Self.root.appending(path: "Scripts/man").path
    let made = try run("python3", [script, ToolProcess.executable().path, folder.url.path])
    #expect(made.status == 0, "\(made.output)")
    let pages = folder.url.appending(path: "share/man/man1")
    let titles = Self.titles(LarderTool.self, "larder")
    #expect(titles.contains("larder-sync-export"))
    let written = try FileManager.default.contentsOfDirectory(atPath: pages.path)
    #expect(written.sorted() == titles.map { "\($0).1" }.sorted())
    let query = try String(contentsOf: pages.appending(path: "larder-query.1"), encoding: .utf8)
    #expect(query.hasPrefix(".TH \"LARDER-QUERY\" 1\n"))
    #expect(query.contains("\\-\\-sort <sort>"))
    #expect(query.contains("larder query notes.larder Note 'title contains \"milk\"'"))
  }

  @Test("shells complete verbs and options", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let script = try await ToolRun("--generate-completion-script", shell)
    #expect(script.status == 0, "\(script.errors)")
    for command in LarderTool.configuration.subcommands {
      let name = try #require(command.configuration.commandName)
      #expect(script.output.contains(name), "\(name) isn't in the script for \(shell)")
    }
    guard shell == "bash" else { return }
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "larder.bash")
    try script.output.write(to: file, atomically: true, encoding: .utf8)
    let words = "COMP_WORDS=(larder sch) COMP_CWORD=1 COMP_LINE='larder sch' COMP_POINT=10"
    let completed = try run("bash", ["-c", "source \(file.path); \(words); _larder; echo \"${COMPREPLY[@]}\""])
    #expect(completed.output.contains("schema"), "\(completed.output)")
  }
}
