import ArgumentParser
import Foundation
import LarderProving

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Makes the report from the results of the parts.")

  @Option(help: "The folder with the results.")
  var results = ".build/proof"

  @Flag(help: "Prints the table of the article about testing, and nothing else.")
  var article = false

  func run() throws {
    let folder = ResultFolder(path: results)
    let report = Report(try folder.results())
    if article { return print(report.articleTable, terminator: "") }
    try Self.write(report, to: folder)
    print(report.text)
  }

  /// Writes the report as text and as a page into the folder.
  static func write(_ report: Report, to folder: ResultFolder) throws {
    try Data(report.text.utf8).write(to: folder.url.appending(component: "report.txt"), options: .atomic)
    try Data(report.page.utf8).write(to: folder.url.appending(component: "report.html"), options: .atomic)
    RunOptions.say("The page is \(folder.url.appending(component: "report.html").path(percentEncoded: false))")
  }
}
