import Foundation
import Larder
import Testing

enum LandingPage {
  @Model
  struct Note {
    var id: UUID = .v7()
    var title: String
    var modifiedAt: Date = .now
  }
}

@Suite("Documentation: Larder")
struct LandingPageTests {
  private typealias Note = LandingPage.Note

  @Test("the smallest example prints the title that it saved")
  func example() async throws {
    let folder = try ArticleFolder()
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // The example's relative path leads into the test's folder.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Store(at name: String, for model: any Model.Type) throws -> Larder.Store {
      try Larder.Store(at: folder.file(name), for: model)
    }

    let store = try Store(at: "notes.larder", for: Note.self)
    try await store.save(Note(title: "Milk"))
    for note in try await store.fetch(Note.where { $0.title.hasPrefix("M") }) {
      print(note.title)
    }

    #expect(printed == ["Milk"])
  }
}

@Suite("Documentation: the topics of the landing page", .timeLimit(.minutes(20)))
struct LandingPageTopicsTests {
  private static let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/Larder").standardized
  private let page: String

  init() throws {
    page = try String(contentsOf: Self.sources.appending(path: "Documentation.docc/Larder.md"), encoding: .utf8)
  }

  /// The groups of articles, which come before those of symbols.
  private static let groups = ["Essentials", "Data", "Observing", "Operations", "Coming from", "How it is made"]

  @Test("every article is listed once, in one of the groups at the top")
  func articles() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Self.sources.appending(path: "Documentation.docc").path)
    let sections = page.components(separatedBy: "\n### ").dropFirst()
    let headings = sections.map { $0.prefix { $0 != "\n" } }
    #expect(headings.prefix(Self.groups.count).map(String.init) == Self.groups)
    let guides = sections.prefix(Self.groups.count).joined()
    for name in names where name.hasSuffix(".md") && name != "Larder.md" {
      #expect(guides.components(separatedBy: "<doc:\(name.dropLast(3))>").count == 2, "\(name)")
    }
    // As many as there are files without the landing page itself.
    #expect(guides.components(separatedBy: "<doc:").count == names.filter { $0.hasSuffix(".md") }.count)
  }

  @Test("every public type and macro is listed once, except those that only generated code uses")
  func types() throws {
    let declaration = /^(?:@[a-z].* )?public (?:final )?(?:struct|class|enum|protocol|macro) ([A-Za-z]\w*)/
      .anchorsMatchLineEndings()
    let files = try #require(FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
    let hidden =
      /^@_documentation\(visibility: internal\)\npublic (?:final )?(?:struct|class|enum|protocol) ([A-Za-z]\w*)/
      .anchorsMatchLineEndings()
    var names: Set<Substring> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // The documentation is built where there is no SwiftUI.
      if text.hasPrefix("#if canImport(SwiftUI)") { continue }
      names.formUnion(text.matches(of: declaration).map(\.1))
      names.subtract(text.matches(of: hidden).map(\.1))
    }
    #expect(names.count > 80)
    let listed = page.matches(of: /^- ``(\w+)(\(.*\))?``$/.anchorsMatchLineEndings()).map { $0.1 }
    #expect(names.subtracting(listed) == [], "not listed")
    #expect(Set(listed).subtracting(names) == [], "there is no such type")
    let links = page.matches(of: /^- (``.*``)$/.anchorsMatchLineEndings()).map(\.1)
    #expect(Set(links).count == links.count)
  }
}
