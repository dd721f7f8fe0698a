import Foundation
import Testing

/// The code of the articles and of the README is the code of the tests in the folders `Documentation`.
///
/// Every ```` ```swift ``` block must stand in one of the tests, line by line. An empty line in a block stands for
/// anything: the parts between empty lines must follow one another in one file. White space does not count. Code that
/// cannot be compiled here, such as manifests and shell commands, goes into a fence without a language.
@Suite("Documentation: the code in the articles")
struct DocumentationCodeTests {
  @Test("the catalogues have their articles")
  func catalogueIsThere() {
    #expect(DocumentationFiles.articles.count >= 28)
  }

  @Test("every block of Swift in an article stands in a test", arguments: DocumentationFiles.articles)
  func articleCode(_ article: URL) throws {
    try check(article)
  }

  @Test(
    "every block of Swift in the README stands in a test",
    .enabled("the README is not there", { FileManager.default.fileExists(atPath: DocumentationFiles.readme.path) }))
  func readmeCode() throws {
    try check(DocumentationFiles.readme)
  }

  @Test("a block that no test has is found")
  func missingBlock() {
    let files = [CodeFile(text: "let a = 1\nlet b = 2\n\nlet c = 3")]
    #expect(CodeBlock(line: 1, text: "let a = 1\n  let b =   2").isIn(files))
    #expect(CodeBlock(line: 1, text: "let a = 1\n\nlet c = 3").isIn(files))
    #expect(!CodeBlock(line: 1, text: "let a = 1\nlet c = 3").isIn(files))
    #expect(!CodeBlock(line: 1, text: "let c = 3\n\nlet a = 1").isIn(files))
    #expect(!CodeBlock(line: 1, text: "let a = 2").isIn(files))
  }

  private func check(_ document: URL) throws {
    let tests = try DocumentationFiles.tests(of: document)
    for block in CodeBlock.all(in: try String(contentsOf: document, encoding: .utf8)) {
      #expect(block.isIn(tests), "\(document.lastPathComponent):\(block.line) is in no test:\n\(block.text)")
    }
  }
}

private enum DocumentationFiles {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent(4)
  /// Each module with articles has its tests in a folder named after it.
  private static let modules = ["Larder", "LarderArchive", "LarderSync"]

  static let readme = root.appending(path: "README.md")

  static let articles: [URL] = modules.flatMap { module in
    let catalogue = root.appending(path: "Sources/\(module)/Documentation.docc")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { catalogue.appending(path: $0) }
  }

  /// The tests in which the code of the document stands: for an article those of its module, for the README all.
  static func tests(of document: URL) throws -> [CodeFile] {
    let modules = document == readme ? modules : modules.filter { document.path.contains("/Sources/\($0)/") }
    let here = URL(filePath: #filePath).lastPathComponent
    return try modules.flatMap { module in
      let folder = root.appending(path: "Tests/\(module)Tests/Documentation")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try names.filter { $0.hasSuffix(".swift") && $0 != here }.map {
        CodeFile(text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      }
    }
  }
}

extension URL {
  fileprivate func deletingLastPathComponent(_ count: Int) -> URL {
    (0..<count).reduce(self) { url, _ in url.deletingLastPathComponent() }
  }
}

/// The lines of a file of tests, without the white space that means nothing.
private struct CodeFile {
  let lines: [String]

  init(text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { normalised($0) }.filter { !$0.isEmpty }
  }
}

/// One ```` ```swift ```` block of a document.
private struct CodeBlock {
  /// The line of the document on which the code begins.
  let line: Int
  let text: String

  func isIn(_ files: [CodeFile]) -> Bool {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map { normalised($0) }.split(
      separator: ""
    ).map(Array.init)
    return files.contains { file in
      var rest = file.lines[...]
      for part in parts {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
      return true
    }
  }

  static func all(in document: String) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var open: (line: Int, lines: [Substring])?
    for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let block = open {
        if normalised(line) == "```" {
          blocks.append(CodeBlock(line: block.line, text: block.lines.joined(separator: "\n")))
          open = nil
        } else {
          open = (block.line, block.lines + [line])
        }
      } else if normalised(line) == "```swift" {
        open = (index + 2, [])
      }
    }
    return blocks
  }
}

private func normalised(_ line: Substring) -> String {
  line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}
