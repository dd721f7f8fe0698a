import Testing

@testable import Ledger

@Suite("CSV is written")
struct CSVWriterTests {
  private func written(_ fields: CSVWriter.Field...) -> String {
    var writer = CSVWriter()
    writer.write(fields)
    return writer.text
  }

  @Test("only fields that need quotes have them, and lines end with CRLF")
  func quotes() {
    #expect(
      written(.text("plain"), .text("a,b"), .text("say \"x\""), .text("two\nlines"), .text(""))
        == "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\r\n")
    #expect(written(.text("one\r\ntwo")) == "\"one\r\ntwo\"\r\n")
  }

  @Test(
    "a text that a spreadsheet would take for a formula is marked as text",
    arguments: ["=1+1", "+49 30 1", "-x", "@sum", "\t=1", "\r=1", "\n=1", "＝1", "'=1"])
  func formulas(text: String) throws {
    let line = written(.text(text), .value("-12.50"))
    let fields = try #require(Array(try CSVReader(Array(line.utf8))).first?.fields)
    #expect(fields == ["'" + text, "-12.50"], "an amount stays a number")
    #expect(FormulaGuard.unguarded(fields[0]) == text)
  }

  @Test("what is no formula stays as it is", arguments: ["", "'tis", "a=b", "1-1", " =", "''", "e@mail"])
  func harmless(text: String) {
    #expect(FormulaGuard.guarded(text) == text)
    #expect(FormulaGuard.unguarded(text) == text)
  }

  @Test("what is written is read again as it was")
  func roundTrip() throws {
    let texts = [
      "", " a ", "a,b;c\td", "\"", "\"\"", "line\nbreak", "\r\n", "=cmd|' /C calc'!A0", "'=x", "''=x", "日本 😀",
      "<script>alert(1)</script>",
    ]
    var writer = CSVWriter()
    // The first line of a file is its header, which tells the separator.
    writer.write((0..<texts.count).map { .value("column \($0)") })
    writer.write(texts.map { .text($0) })
    let records = Array(try CSVReader(Array(writer.text.utf8)))
    #expect(records.count == 2)
    #expect(records[1].fields.map(FormulaGuard.unguarded) == texts)
  }
}
