import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite("text in a terminal, and formats of files")
struct ToolTextTests {
  @Test("what drives a terminal is escaped, and everything else stays")
  func escaped() {
    #expect(
      DisplayText.escaped("a\u{1B}[31m\u{7}\u{9B}\r\n\u{0}\u{202E}\u{2028}é漢👩‍👧")
        == "a\\u{1B}[31m\\u{7}\\u{9B}\\r\\n\\0\\u{202E}\\u{2028}é漢👩‍👧")
    #expect(DisplayText.escaped("a\nb\t", keepsLines: true) == "a\nb\\t")
    for value in UInt32(0)...0x3000 {
      guard let scalar = Unicode.Scalar(value), !(0x20..<0x7F).contains(value) else { continue }
      let text = DisplayText.escaped(String(scalar))
      #expect(text.unicodeScalars.allSatisfy(DisplayText.isSafe), "U+\(String(value, radix: 16))")
    }
  }

  @Test("columns are aligned by what a terminal shows, and cut to its width")
  func table() {
    var table = TextTable(["name", "n"], [.left, .right])
    table.add(["漢字", "1"])
    table.add(["e\u{301}", "10"])
    table.add(["👩‍👩‍👧‍👦", nil])
    #expect(table.text(limit: nil) == "name    n\n漢字    1\ne\u{301}      10\n👩‍👩‍👧‍👦    nil\n")
    var wide = TextTable(["a", "b"])
    wide.add([String(repeating: "x", count: 1_000_000), String(repeating: "漢", count: 100)])
    for limit in [18, 19, 40, 80, 81] {
      for line in wide.text(limit: limit).split(separator: "\n") {
        #expect(DisplayText.width(of: String(line)) <= limit, "\(limit)")
      }
    }
    #expect(DisplayText.cut("abcdef", to: 4) == "abc…")
    #expect(DisplayText.cut("漢字漢字", to: 4) == "漢…")
    #expect(DisplayText.cut("abcd", to: 4) == "abcd")
  }

  @Test("fields of random bytes come back from CSV as they were", arguments: 0..<20)
  func randomCSV(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let alphabet = ["a", "\"", ",", "\n", "\r", "\r\n", "", " ", "\u{0}", "é", "👩‍👧", "\t"]
    let coding = ColumnCoding("x", .any)
    let folder = try TemporaryFolder()
    let file = folder.file("x.csv").path
    var rows: [[Value]] = []
    for _ in 0..<50 {
      rows.append(
        (0..<3).map { _ in
          switch Int.random(in: 0..<6, using: &generator) {
          case 0: return .null
          case 1: return .integer(Int64.random(in: .min ... .max, using: &generator))
          case 2: return .real(Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator)))
          case 3:
            return .blob(
              Data(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
              ))
          default:
            return .text(
              (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
              }.joined())
          }
        })
    }
    let columns = ["a", "b\n", "\"c"].map { ColumnCoding($0, .any) }
    var writer = try RowWriter(.csv, columns, to: try Output(file, reading: ""))
    for row in rows { try writer.write(row) }
    try writer.finish()
    var reader = CSVReader(try InputBytes(file))
    #expect(try reader.next()?.fields.map(\.text) == columns.map(\.name))
    for (number, row) in rows.enumerated() {
      let fields = try #require(try reader.next()?.fields, "seed \(seed), row \(number)")
      #expect(try fields.map { try coding.value(csv: $0) } == row, "seed \(seed), row \(number)")
    }
    #expect(try reader.next() == nil)
  }

  @Test("random values come back from JSON as they were", arguments: 0..<20)
  func randomJSON(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let coding = ColumnCoding("x", .any)
    for _ in 0..<200 {
      let value: Value =
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .null
        case 1: .integer(Int64.random(in: .min ... .max, using: &generator))
        case 2: .real(Double(bitPattern: UInt64.random(in: 0...0x7FF0_0000_0000_0000, using: &generator)))
        case 3: .blob(Data((0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        default:
          .text(
            String(
              (0..<4).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0..<0x300, using: &generator)).map(Character.init)
              }))
        }
      let text = try JSONText.line(coding.json(value))
      #expect(try coding.value(json: DocumentValue(json: text)) == value, "seed \(seed): \(text)")
      #expect(text.unicodeScalars.allSatisfy(DisplayText.isSafe), "seed \(seed): \(text)")
    }
  }

  @Test("keys are ordered as SQLite orders them")
  func keyOrder() async throws {
    let values: [Value] = [
      nil, .integer(.min), .real(-1.5), .integer(-1), .integer(0), .real(0.5), .integer(1),
      .integer(9_007_199_254_740_993),
      .text(""), .text("B"), .text("a"), .text("a\u{0}"), .text("é"), .text("漢"), .blob(Data()), .blob(Data([0])),
      .blob(Data([255])),
    ]
    let file = try await ToolFile.foreign("create table t (v)")
    let store = try Store(at: file.path, schema: .existing)
    for value in values.shuffled() { try await store.sql("insert into t values (\(value))") }
    #expect(try await store.sql("select v from t order by v").map(\.[0].value) == values)
    await store.close()
    for (position, value) in values.enumerated() {
      for (other, second) in values.enumerated() {
        let expected = position == other ? 0 : position < other ? -1 : 1
        #expect(KeyOrder.compare([value], [second]) == expected, "\(value) \(second)")
      }
    }
  }
}
