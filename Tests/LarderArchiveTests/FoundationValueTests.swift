import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

@Suite("Archives: values of Foundation, and numbers bit for bit")
struct FoundationValueTests {
  /// An object of a class whose fields are values in the list, and what stands behind it.
  private func object(
    _ name: String, _ fields: [(String, BinaryListBuilder.Object)], _ others: [BinaryListBuilder.Object] = []
  ) -> Data {
    BinaryListBuilder.keyedArchive { builder in
      let values = fields.map { (key: builder.add(.text($0.0)), value: builder.add($0.1)) }
      let type = (key: builder.add(.text("$class")), value: builder.add(.uid(2)))
      let className = builder.add(.dictionary([(builder.add(.text("$classname")), builder.add(.text(name)))]))
      return [builder.add(.dictionary(values + [type])), className] + others.map { builder.add($0) }
    }
  }

  @Test("D6: NSDecimalNumber is read as a decimal, and as a number where it is one exactly", arguments: [1, 2])
  func decimal(byteOrder: Int64) throws {
    func data(_ digits: Int, exponent: Int64, isNegative: Bool, length: Int64 = 8) -> Data {
      var mantissa = [UInt8](repeating: 0, count: 16)
      for index in 0..<8 { mantissa[index] = UInt8(truncatingIfNeeded: digits >> (8 * index)) }
      if byteOrder == 2 { for index in 0..<8 { mantissa.swapAt(2 * index, 2 * index + 1) } }
      return object(
        "NSDecimalNumber",
        [
          ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(byteOrder)), ("NS.length", .integer(length)),
          ("NS.exponent", .integer(exponent)),
          ("NS.negative", .bool(isNegative)), ("NS.compact", .bool(true)),
        ])
    }
    let price = data(1_234_567_890_123, exponent: -2, isNegative: true)
    #expect(try Archive.decodeKeyed(Decimal.self, from: price, allowing: [:]) == Decimal(string: "-12345678901.23"))
    #expect(try Archive.decodeKeyed(Double.self, from: price, allowing: [:]) == -12345678901.23)
    #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(Int.self, from: price, allowing: [:]) }
    #expect(try Archive.decodeKeyed(Int.self, from: data(42, exponent: 0, isNegative: false), allowing: [:]) == 42)
    #expect(
      try Archive.decodeKeyed(Decimal.self, from: data(0, exponent: 0, isNegative: true, length: 0), allowing: [:])
        .isNaN)
    for broken in [data(1, exponent: 1000, isNegative: false), data(1, exponent: 0, isNegative: false, length: 9)] {
      #expect(
        #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(Decimal.self, from: broken, allowing: [:]) }?.code
          == .damaged)
    }
  }

  @Test("D6: NSTimeZone, NSCountedSet and an NSURL of no characters are read")
  func others() throws {
    let zone = object("NSTimeZone", [("NS.name", .uid(3)), ("NS.data", .data([1]))], [.text("Europe/Vienna")])
    #expect(try Archive.decodeKeyed(TimeZone.self, from: zone, allowing: [:]).identifier == "Europe/Vienna")
    #expect(try Archive.decodeKeyed(String.self, from: zone, allowing: [:]) == "Europe/Vienna")
    let set = object(
      "NSCountedSet",
      [
        ("NS.count", .integer(2)), ("NS.object0", .uid(3)), ("NS.count0", .integer(1 << 60)), ("NS.object1", .uid(4)),
        ("NS.count1", .integer(1)),
      ],
      [.text("a"), .text("b")])
    #expect(try Archive.decodeKeyed(Set<String>.self, from: set, allowing: [:]) == ["a", "b"])
    #expect(try Archive.decodeKeyed([String: Int].self, from: set, allowing: [:]) == ["a": 1 << 60, "b": 1])
    let url = object("NSURL", [("NS.base", .uid(0)), ("NS.relative", .uid(3))], [.text("")])
    #expect(try Archive.decodeKeyed(String.self, from: url, allowing: [:]) == "")
    #expect(try Archive.decodeKeyed(URL?.self, from: url, allowing: [:]) == nil)
    #expect(
      #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(URL.self, from: url, allowing: [:]) }?.code
        == .invalidValue)
  }

  private func xml(_ content: String, mark: [UInt8] = []) throws -> String {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "a" "b"><plist version="1 > 0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$objects</key><array><string>$null</string><string>\(content)</string></array>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict></dict></plist>
      """
    return try Archive.decodeKeyed(String.self, from: Data(mark) + Data(text.utf8), allowing: [:])
  }

  @Test("D6: XML with marks behind entities, a byte order mark, CDATA and comments inside of text is read")
  func xmlText() throws {
    #expect(Array(try xml("a&amp;\u{301}b").utf8) == Array("a&\u{301}b".utf8))
    #expect(Array(try xml("&#x26;\u{301}&#38;\u{fe0f}&#x1F991;").utf8) == Array("&\u{301}&\u{fe0f}🦑".utf8))
    #expect(try xml("text", mark: [0xef, 0xbb, 0xbf]) == "text")
    #expect(try xml("a<![CDATA[<b> &amp; ]] ]]>c<!-- no > text -->d<?x y?>e") == "a<b> &amp; ]] cde")
    #expect(try xml("<![CDATA[]]>") == "" && xml("") == "")
    for broken in ["&amp", "&;", "&unknown;", "&#xD800;", "&#+38;", "&#;", "<b>x</b>", "<![CDATA[", "<!-- "] {
      #expect(#expect(throws: ArchiveError.self, "\(broken)") { try xml(broken) }?.code == .damaged)
    }
  }

  @Test(
    "D2: XML that declares entities of its own, refers to a file or nests them without end is refused, and reads nothing",
    arguments: [
      "[<!ENTITY a \"b\">]", "[]", "SYSTEM \"file:///etc/passwd\" [<!ENTITY % a SYSTEM \"file:///etc/passwd\"> %a;]",
      "[<!ENTITY a \"&b;&b;&b;\"><!ENTITY b \"&c;&c;&c;\"><!ENTITY c \"text\">]", "[<!ELEMENT plist ANY>]", "[",
    ])
  func xmlEntities(_ declaration: String) {
    let text = """
      <?xml version="1.0"?><!DOCTYPE plist \(declaration)><plist version="1.0"><dict>
      <key>$archiver</key><string>NSKeyedArchiver</string><key>$objects</key><array><string>$null</string>
      <string>&a;</string></array><key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict>
      </dict></dict></plist>
      """
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(String.self, from: Data(text.utf8), allowing: [:])
    }
    #expect(error?.code == .damaged)
  }

  @Test(
    "D2: XML whose document type only names a file is read without that file, and an entity without a declaration is damage"
  )
  func xmlSystem() throws {
    let text = """
      <!DOCTYPE plist SYSTEM "file:///etc/passwd"><plist><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$objects</key><array><string>$null</string><string>a</string></array>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict></dict></plist>
      """
    #expect(try Archive.decodeKeyed(String.self, from: Data(text.utf8), allowing: [:]) == "a")
    #expect(#expect(throws: ArchiveError.self) { try xml("&a;") }?.code == .damaged)
  }

  @Test("D1: a signalling NaN stays one, and what only infinity is near to is no Float")
  func floats() throws {
    let floats = [
      Float.signalingNaN, .nan, Float(bitPattern: 0xffa0_0001), Float(bitPattern: 0x7fc1_2345), -.infinity,
      .leastNonzeroMagnitude, -0.0,
    ]
    #expect(
      try Archive.decode([Float].self, from: Archive.encode(floats)).map(\.bitPattern) == floats.map(\.bitPattern))
    #expect(try ArchiveValue(encoding: floats).decode([Float].self).map(\.bitPattern) == floats.map(\.bitPattern))
    let doubles = [Double.signalingNaN, Double(bitPattern: 0xfff4_0000_0000_0001)]
    #expect(
      try Archive.decode([Double].self, from: Archive.encode(doubles)).map(\.bitPattern) == doubles.map(\.bitPattern))
    struct Wide: Archivable {
      static let archiveTag = "Number"
      var value: Double
    }
    struct Narrow: Archivable {
      static let archiveTag = "Number"
      var value: Float
    }
    for number in [1e300, -1e300, 3.5e38] {
      let error = #expect(throws: ArchiveError.self) {
        try Archive.decode(Narrow.self, from: Archive.encode(Wide(value: number)))
      }
      #expect(error?.code == .invalidValue && error?.keyPath == "value")
      let keyed = BinaryListBuilder.keyedArchive { [$0.add(.real(number))] }
      #expect(
        #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(Float.self, from: keyed, allowing: [:]) }?.code
          == .invalidValue)
    }
    #expect(try Archive.decode(Narrow.self, from: Archive.encode(Wide(value: .infinity))).value == .infinity)
    #expect(try Archive.decode(Narrow.self, from: Archive.encode(Wide(value: 0.1))).value == 0.1)
  }
}
