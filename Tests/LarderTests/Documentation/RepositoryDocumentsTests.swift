import Foundation
import Testing

private enum Repository {
  static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  static let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]
  static let hasDocuments = documents.allSatisfy {
    FileManager.default.fileExists(atPath: root.appending(path: $0).path)
  }
}

/// What the documents at the root of the repository say of its files and functions.
@Suite(
  "Documentation: the repository's own documents", .enabled("the documents are not there", { Repository.hasDocuments }))
struct RepositoryDocumentsTests {
  private func text(_ name: String) throws -> String {
    try String(contentsOf: Repository.root.appending(path: name), encoding: .utf8)
  }

  @Test("every link leads to a file, and every path in code style is there", arguments: Repository.documents)
  func paths(_ name: String) throws {
    let text = try text(name)
    let links = text.matches(of: /\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)/).map { String($0.1) }
    let paths = text.matches(of: /`((?:Sources|Tests|Examples|Benchmarks|Scripts|\.github)\/[^` *<]+)`/).map {
      String($0.1)
    }
    for path in links + paths {
      #expect(
        FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path), "\(name) names \(path)")
    }
  }

  @Test(
    "every Swift file that ARCHITECTURE.md names is in Sources, and every function or type is in one of them")
  func names() throws {
    let sources = try #require(
      FileManager.default.enumerator(at: Repository.root.appending(path: "Sources"), includingPropertiesForKeys: nil))
    let files = sources.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    let fileNames = Set(files.map(\.lastPathComponent))
    var words: Set<Substring> = []
    for file in files { words.formUnion(file.pathComponents.map { Substring($0) }) }
    for file in files {
      words.formUnion(try String(contentsOf: file, encoding: .utf8).matches(of: /[A-Za-z_]\w*/).map(\.0))
    }

    let document = try text("ARCHITECTURE.md")
    let mentioned = document.matches(of: /`([^`\n]+)`/).map { String($0.1) }
    #expect(mentioned.count > 100)
    for name in mentioned where name.hasSuffix(".swift") {
      #expect(fileNames.contains(name), "there is no \(name)")
    }
    // `Type`, `Type.member` and `function(_:label:)`; not SQL, file names or paths.
    for name in mentioned
    where !name.hasSuffix(".docc") && name.wholeMatch(of: /[A-Za-z]\w*(?:\.[a-z]\w*)*(?:\([\w:]*\))?/) != nil {
      for word in name.matches(of: /[A-Za-z]\w{3,}/).map(\.0) {
        #expect(words.contains(Substring(word)), "\(name): there is no \(word) in Sources")
      }
    }
  }

  @Test("ARCHITECTURE.md and CONTRIBUTING.md name every folder of the library")
  func folders() throws {
    let library = Repository.root.appending(path: "Sources/Larder")
    let folders = try FileManager.default.contentsOfDirectory(atPath: library.path).filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: library.appending(path: name).path, isDirectory: &isFolder)
        && isFolder.boolValue
    }
    #expect(folders.count > 10)
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
      let text = try text(document)
      for folder in folders where !folder.hasSuffix(".docc") {
        #expect(text.contains("`\(folder)`"), "\(document) does not name \(folder)")
      }
    }
  }

  @Test("the rows of what Larder takes the place of are those whose codes tests begin with")
  func codes() throws {
    let article = try text("Sources/Larder/Documentation.docc/WhatLarderReplaces.md")
    let rows = Set(article.matches(of: /^\| ([A-D][0-9]+) \|/.anchorsMatchLineEndings()).map { String($0.1) })
    let tests = try #require(
      FileManager.default.enumerator(at: Repository.root.appending(path: "Tests"), includingPropertiesForKeys: nil))
    var codes: Set<String> = []
    for case let file as URL in tests where ["swift", "py"].contains(file.pathExtension) {
      codes.formUnion(
        try String(contentsOf: file, encoding: .utf8).matches(of: #/"([A-D][0-9]+):\s/#).map { String($0.1) })
    }
    #expect(rows.count == 36)
    #expect(rows == codes)
  }
}
