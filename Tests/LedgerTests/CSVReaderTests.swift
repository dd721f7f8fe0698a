import Testing

@testable import Ledger

@Suite("CSV is read")
struct CSVReaderTests {
  private func records(_ text: String) throws -> [[String]] {
    try CSVReader(Array(text.utf8)).map(\.fields)
  }

  @Test("fields are separated by commas, records by any line break", arguments: ["\n", "\r\n", "\r"])
  func lines(lineBreak: String) throws {
    #expect(try records(["a,b", "c,d"].joined(separator: lineBreak)) == [["a", "b"], ["c", "d"]])
    #expect(
      try records(["a,b", "c,d", ""].joined(separator: lineBreak)) == [["a", "b"], ["c", "d"]],
      "the last line may end with a line break")
  }

  @Test("a quoted field holds separators, line breaks and quotes")
  func quotes() throws {
    #expect(
      try records(#""a,b","c"# + "\r\n" + #"d","say ""hello""""# + "\n1,2,3") == [
        ["a,b", "c\r\nd", #"say "hello""#], ["1", "2", "3"],
      ])
    #expect(try records(#""",x"#) == [["", "x"]])
    #expect(
      try records("a \"quoted\" word,b") == [["a \"quoted\" word", "b"]],
      "a quote within a plain field is an ordinary character")
  }

  @Test("empty fields are fields")
  func emptyFields() throws {
    #expect(try records(",a,,b,") == [["", "a", "", "b", ""]])
    #expect(try records("") == [])
    #expect(try records("a,b\n\nc,d") == [["a", "b"], [""], ["c", "d"]])
  }

  @Test("the first line tells the separator", arguments: [",", ";", "\t"])
  func separators(separator: String) throws {
    let others = [",", ";", "\t"].filter { $0 != separator }.joined()
    #expect(
      try records("a\(separator)b\(separator)c\n1\(separator)\(others)\(separator)3") == [
        ["a", "b", "c"], ["1", others, "3"],
      ])
  }

  @Test("separators within quotes do not tell it")
  func quotedSeparators() throws {
    #expect(try records("\"a,b,c\";d\n1;2") == [["a,b,c", "d"], ["1", "2"]])
  }

  @Test("a byte order mark is no part of the first field")
  func byteOrderMark() throws {
    #expect(try records("\u{FEFF}a,b\n1,2") == [["a", "b"], ["1", "2"]])
    #expect(try records("\u{FEFF}\"a\",b") == [["a", "b"]])
  }

  @Test("records know the line they begin on")
  func lineNumbers() throws {
    let reader = try CSVReader(Array("a,b\r\n\"x\r\ny\nz\",2\r\n\r\nc,d\r\n".utf8))
    #expect(reader.map(\.line) == [1, 2, 5, 6])
  }

  @Test("faulty quotes cost their line and no other")
  func faultyQuotes() throws {
    let reader = try CSVReader(Array("a,b\n\"x\"y,2\nc,d\n\"open,3\ne,f".utf8))
    let records = Array(reader)
    #expect(records.map(\.problem) == [nil, .textAfterQuote, nil, .openQuote, nil])
    #expect(records.map(\.line) == [1, 2, 3, 4, 5])
    #expect(records.last?.fields == ["e", "f"])
  }

  @Test(
    "what is not UTF-8 is refused",
    arguments: [
      [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0xE4, 0x62], [0x61, 0x00, 0x62], [0xC0, 0xAF],
    ] as [[UInt8]]
  )
  func encoding(bytes: [UInt8]) {
    #expect(throws: InvalidText.self) { try CSVReader(bytes) }
  }
}
