import Larder
import LarderTestSupport
import Testing

/// Texts of words between symbols, quotation marks and signs of the query language, beside plain Swift.
@Suite("Random texts with symbols and quotation marks")
struct RandomSearchTextTests {
  private static let words = ["ok", "okay", "fine", "finest", "x1", "near", "and", "or", "not"]
  private static let signs = [
    " ", "🌶", "\"", "'", "\u{201C}", "€", " - ", "\"\"", "*", "(", ")", ": ", "^", "+", "\u{1FAE9}", ", ", "{", "\n",
  ]

  @Test("a typed word finds the texts with a word that begins so, whatever stands around both")
  func rounds() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 80)
    let store = try Store(inMemoryFor: NewsItem.self)
    let texts = (0..<200).map { _ in (1...5).map { _ in generator.pick(Self.words) } }
    try store.blocking.insert(
      texts.enumerated().map { id, words in
        let text = words.reduce("") { $0 + generator.pick(Self.signs) + $1 } + generator.pick(Self.signs)
        return NewsItem(id: id, title: text)
      })
    let context = Context(store)
    for round in 0..<120 {
      let word = generator.pick(Self.words)
      let start = String(word.prefix(Int.random(in: 1...word.count, using: &generator)))
      let typed = generator.pick(Self.signs) + start + generator.pick(["", "\"", "🌶", "*", ")", "'"])
      let expected = texts.indices.filter { texts[$0].contains { $0.hasPrefix(start) } }
      for db in [store.blocking, context] as [any StoreReader] {
        let found = try db.fetch(NewsItem.search(typed: typed)).map(\.id).sorted()
        #expect(found == expected, "seed \(TestSeed.value), round \(round): \(typed.debugDescription)")
      }
    }
    TestSeed.tried(120, .queries, "searches between symbols")
  }

  /// What makes one character with the quotation mark or letter before it.
  private static let joiners = [
    "\u{301}", "\u{200D}", "\u{20E3}", "\u{FE0F}", "\u{600}", "\u{110BD}", "\u{1F3FD}", "\u{E0020}",
  ]

  @Test("no typed text throws, whatever joins its quotation marks; a NUL in a pattern or in the marks is refused")
  func joined() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 97)
    let store = try Store(inMemoryFor: NewsItem.self)
    try store.blocking.insert([NewsItem(id: 1, title: "milk fine"), NewsItem(id: 2, title: "nothing")])
    let context = Context(store)
    for round in 0..<200 {
      let parts = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
        let kind = generator.pick([Self.joiners, Self.joiners, ["\""], Self.signs, Self.words, ["m"]])
        return generator.pick(kind)
      }
      let typed = parts.joined()
      let place = "seed \(TestSeed.value), round \(round): \(typed.debugDescription)"
      for db in [store.blocking, context] as [any StoreReader] {
        #expect(throws: Never.self, "\(place)") { try db.fetch(NewsItem.search(typed: typed)) }
        // The word begins after a space, whatever came before.
        let found = try db.fetch(NewsItem.search(typed: typed + " milk")).map(\.id)
        #expect(!found.contains(2), "\(place)")
        let error = #expect(throws: StoreError.self, "\(place)") { try db.fetch(NewsItem.search(typed + "\0")) }
        #expect(error?.code == .invalidValue, "\(place)")
        let marks = (0..<3).map { _ in generator.pick([typed, "\0", "[", typed + "\0]", ""]) }
        let style = SnippetStyle(marks: (marks[0], marks[1]), ellipsis: marks[2])
        do {
          let matches = try db.matches(NewsItem.search("milk"), style: style)
          #expect(!marks.contains { $0.unicodeScalars.contains("\0") }, "\(place): \(marks)")
          #expect(matches.map(\.snippet) == ["\(marks[0])milk\(marks[1]) fine"], "\(place): \(marks)")
        } catch let error as StoreError {
          #expect(marks.contains { $0.unicodeScalars.contains("\0") }, "\(place): \(marks): \(error)")
          #expect(error.code == .invalidValue, "\(place)")
        }
      }
    }
    TestSeed.tried(400, .queries, "searches of joined quotation marks")
  }
}
