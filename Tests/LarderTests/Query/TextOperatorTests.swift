import Foundation
import Larder
import Testing

@Suite struct TextOperatorTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample() }

  private static let parts = [
    "", "a", "A", "bc", "%", "_", "'", "\"", "\\", "😀", "👩", "e", "\u{301}", "é", "\u{0}", "l\u{0}i", "ß", "本", "[",
    "*", "\n",
  ]

  @Test("A4: contains is exact: % and _ are ordinary, and so are quotes, NUL and combining marks", arguments: parts)
  func contains(_ part: String) throws {
    try sample.check({ $0.name.contains(part) }, isTelling: !part.isEmpty) { $0.name.holds(part) }
    try sample.check({ !$0.name.contains(part) }, isTelling: !part.isEmpty) { !$0.name.holds(part) }
    try sample.check({ $0.nickname.contains(part) }) { $0.nickname?.holds(part) ?? false }
    try sample.check({ !$0.nickname.contains(part) }) { !($0.nickname?.holds(part) ?? false) }
    try sample.check({ $0.name.notContains(part) }, isTelling: !part.isEmpty) { !$0.name.holds(part) }
    try sample.check({ $0.nickname.notContains(part) }, isTelling: !part.isEmpty) {
      $0.nickname.map { !$0.holds(part) } ?? false
    }
  }

  @Test(
    "hasPrefix and hasSuffix are exact",
    arguments: parts + ["ab", "abc", "inside", "😀 smile", "\u{10FFFF}", "\u{D7FF}"])
  func ends(_ part: String) throws {
    try sample.check({ $0.name.hasPrefix(part) }, isTelling: false) { $0.name.begins(with: part) }
    try sample.check({ $0.nickname.hasPrefix(part) }, isTelling: false) { $0.nickname?.begins(with: part) ?? false }
    try sample.check({ !$0.nickname.hasPrefix(part) }, isTelling: false) { !($0.nickname?.begins(with: part) ?? false) }
    try sample.check({ $0.name.hasSuffix(part) }, isTelling: false) { $0.name.ends(with: part) }
    try sample.check({ $0.nickname.hasSuffix(part) }, isTelling: false) { $0.nickname?.ends(with: part) ?? false }
    try sample.check({ !$0.nickname.hasSuffix(part) }, isTelling: false) { !($0.nickname?.ends(with: part) ?? false) }
  }

  @Test("a prefix that ends in the last code point still finds its rows")
  func lastCodePoint() throws {
    let rows = ["\u{10FFFF}", "\u{10FFFF}a", "a\u{10FFFF}", "a\u{10FFFF}\u{10FFFF}z", "b", "\u{D7FF}x", "\u{E000}"]
      .enumerated().map {
        LabelledItem(id: $0, label: $1)
      }
    let db = try Store(inMemoryFor: LabelledItem.self).blocking
    try db.insert(rows)
    for prefix in ["\u{10FFFF}", "a\u{10FFFF}", "a\u{10FFFF}\u{10FFFF}", "\u{D7FF}"] {
      let found = try db.fetch(LabelledItem.where { $0.label.hasPrefix(prefix) }.sorted(by: \.id))
      #expect(found == rows.filter { $0.label.begins(with: prefix) })
      #expect(!found.isEmpty)
    }
  }

  @Test("a text may be looked for in another column")
  func columns() throws {
    try sample.check({ $0.name.contains($0.measure.unit.or("?")) }) { $0.name.holds($0.measure.unit ?? "?") }
    try sample.check({ ($0.name + "/" + $0.name).contains("c/a") }) { ($0.name + "/" + $0.name).holds("c/a") }
    try sample.check({ "<" + $0.name == "<a" }) { $0.name == "a" }
  }

  @Test("A4: like and notLike know % and _, and the letters A to Z in either case")
  func like() throws {
    try sample.check({ $0.name.like("A%") }) { $0.name.lowercased().begins(with: "a") }
    try sample.check({ $0.name.like("_b_") }) { ["abc", "ABC"].contains($0.name) }
    try sample.check({ $0.name.like("100%") }) { $0.name.begins(with: "100") }
    try sample.check({ $0.name.notLike("a%") }) { !$0.name.lowercased().begins(with: "a") }
    try sample.check({ $0.nickname.like("a%") }) { $0.nickname?.lowercased().begins(with: "a") ?? false }
    try sample.check({ $0.nickname.notLike("a%") }) { $0.nickname.map { !$0.lowercased().begins(with: "a") } ?? false }
    try sample.check({ !$0.nickname.like("a%") }) { !($0.nickname?.lowercased().begins(with: "a") ?? false) }
  }

  @Test("glob knows *, ? and sets of characters, and minds the case")
  func glob() throws {
    try sample.check({ $0.name.glob("a*") }) { $0.name.begins(with: "a") }
    try sample.check({ $0.name.glob("a?b") }) { ["a_b", "axb"].contains($0.name) }
    try sample.check({ $0.name.glob("[aA]") }) { ["a", "A"].contains($0.name) }
  }

  @Test("matches finds what the regular expression finds")
  func regex() throws {
    try sample.check({ $0.name.matches(/^[a-c]+$/) }) { $0.name.contains(/^[a-c]+$/) }
    try sample.check({ $0.name.matches(/\d{3}/) }) { $0.name.contains(/\d{3}/) }
    try sample.check({ $0.nickname.matches(/b|it's/.ignoresCase()) }) {
      $0.nickname?.contains(/b|it's/.ignoresCase()) ?? false
    }
    try sample.check({ !$0.nickname.matches(/a/) && $0.name.matches(/a/) }) {
      !($0.nickname?.contains(/a/) ?? false) && $0.name.contains(/a/)
    }
    try sample.check({ $0.name.matches(/l\u{0}i/) }) { $0.name.contains(/l\u{0}i/) }
  }

  @Test("caseInsensitive makes the letters of every script equal")
  func caseInsensitive() throws {
    func fold(_ text: String) -> String { text.uppercased().lowercased() }
    for text in ["ABC", "É", "STRASSE", "Nul\u{0}INSIDE", ""] {
      try sample.check({ $0.name.caseInsensitive == text }) { fold($0.name).isSame(as: fold(text)) }
      try sample.check({ $0.nickname.caseInsensitive != text }) {
        !($0.nickname.map { fold($0).isSame(as: fold(text)) } ?? false)
      }
      try sample.check({ $0.name.caseInsensitive.contains(text) }, isTelling: !text.isEmpty) {
        fold($0.name).holds(fold(text))
      }
      try sample.check({ $0.name.caseInsensitive.hasPrefix(text) }, isTelling: !text.isEmpty) {
        fold($0.name).begins(with: fold(text))
      }
      try sample.check({ $0.name.caseInsensitive.hasSuffix(text) }, isTelling: !text.isEmpty) {
        fold($0.name).ends(with: fold(text))
      }
    }
    try sample.check({ $0.nickname.caseInsensitive == nil }) { $0.nickname == nil }
    try sample.check({ $0.nickname.caseInsensitive != nil }) { $0.nickname != nil }
    try sample.check({ $0.name.caseInsensitive.isIn(["É", "STRASSE"]) }) { row in
      ["é", "strasse"].contains { $0.isSame(as: fold(row.name)) }
    }
    try sample.check({ $0.name.caseInsensitive < "B" }) { fold($0.name).precedes("b") }
    try sample.check({ $0.name.caseInsensitive >= "B" }) { !fold($0.name).precedes("b") }
    try sample.check({ $0.name.caseInsensitive <= "B" }) { !"b".precedes(fold($0.name)) }
    try sample.check({ $0.name.caseInsensitive > "B" }) { "b".precedes(fold($0.name)) }
  }

  @Test("caseInsensitive folds what the text is compared with: a literal, on either side, another property, a pattern")
  func foldedSides() throws {
    func fold(_ text: String) -> String { text.uppercased().lowercased() }
    try sample.check({ $0.name.caseInsensitive == "ABC" }) { fold($0.name).isSame(as: "abc") }
    try sample.check({ "ABC" == $0.name.caseInsensitive }) { fold($0.name).isSame(as: "abc") }
    try sample.check({ $0.nickname.caseInsensitive != "ABC" }) { $0.nickname.map { fold($0) } != "abc" }
    try sample.check({ "B" > $0.name.caseInsensitive }) { fold($0.name).precedes("b") }
    try sample.check({ $0.name.caseInsensitive.isBetween("A", "F") }) {
      !fold($0.name).precedes("a") && !"f".precedes(fold($0.name))
    }
    try sample.check({ $0.name.caseInsensitive == $0.name.uppercased }, isTelling: false) { _ in true }
    try sample.check({ $0.name.uppercased == $0.name.caseInsensitive }, isTelling: false) { _ in true }
    try sample.check({ $0.name.caseInsensitive.contains($0.name.uppercased) }, isTelling: false) { _ in true }
    try sample.check({ $0.nickname.caseInsensitive.notContains("B") }) {
      $0.nickname.map { !fold($0).holds("b") } ?? false
    }
    try sample.check({ $0.name.caseInsensitive.like("%É%") }) { fold($0.name).holds("é") }
    try sample.check({ $0.nickname.caseInsensitive.notLike("%B%") }) {
      $0.nickname.map { !fold($0).holds("b") } ?? false
    }
    try sample.check({ $0.name.caseInsensitive.glob("*B*") }) { fold($0.name).holds("b") }
    try sample.check({ $0.name.caseInsensitive.matches(/B/) }) { fold($0.name).holds("b") }
    let db = try Store(inMemoryFor: LabelledItem.self).blocking
    try db.insert(["ab", "AB", "c"].enumerated().map { LabelledItem(id: $0, label: $1) })
    let groups = LabelledItem.all.grouped(by: \.label.caseInsensitive) { ($0.key, $0.count) }
    #expect(try db.fetch(groups.having { $0.key == "Ab" }).map(\.1) == [2])
  }

  @Test("localized looks past case and accents, and orders numbers by size")
  func localized() throws {
    try sample.check({ $0.name.localized.contains("E") }) { $0.name.localizedStandardContains("E") }
    try sample.check({ $0.name.localized.contains("") }, isTelling: false) { _ in true }
    try sample.check({ $0.nickname.localized.contains("abc") }) {
      $0.nickname?.localizedStandardContains("abc") ?? false
    }
    try sample.check({ $0.nickname.localized == nil }) { $0.nickname == nil }
    try sample.check({ $0.name.localized < "b" }) { $0.name.localizedStandardCompare("b") == .orderedAscending }
    try sample.check({ $0.name.localized >= "b" }) { $0.name.localizedStandardCompare("b") != .orderedAscending }
    let files = ["file 10", "file 9", "File 1", "file 100"].enumerated().map { LabelledItem(id: $0, label: $1) }
    let db = try Store(inMemoryFor: LabelledItem.self).blocking
    try db.insert(files)
    #expect(
      try db.fetch(LabelledItem.all.sorted(by: \.label.localized)).map(\.label) == [
        "File 1", "file 9", "file 10", "file 100",
      ])
  }

  @Test("length counts code points, count counts characters")
  func length() throws {
    try sample.check({ $0.name.length == 3 }) { ($0.name.unicodeScalars.prefix { $0 != "\u{0}" }).count == 3 }
    try sample.check({ $0.name.count == 1 }) { $0.name.count == 1 }
    try sample.check({ $0.name.count == 10 }) { $0.name.count == 10 }
    try sample.check({ $0.name.isEmpty }) { $0.name.isEmpty }
    try sample.check({ $0.nickname.length == 0 }) { $0.nickname == "" }
    try sample.check({ $0.data.count == 2 }) { $0.data.count == 2 }
    try sample.check({ $0.data.isEmpty }) { $0.data.isEmpty }
  }

  @Test("lowercased and uppercased keep what comes after a NUL")
  func cases() throws {
    try sample.check({ $0.name.lowercased == "abc" }) { $0.name.lowercased() == "abc" }
    try sample.check({ $0.name.uppercased == "STRASSE" }) { $0.name.uppercased() == "STRASSE" }
    try sample.check({ $0.name.uppercased == "NUL\u{0}INSIDE" }) { $0.name == "nul\u{0}inside" }
    try sample.check({ $0.name.lowercased == "nul" }) { $0.name == "nul" }
  }
}

@Model
struct LabelledItem: Hashable {
  var id: Int
  var label: String
}
