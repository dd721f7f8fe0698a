import Foundation
import LarderArchive
import Testing

/// Encodes what NSDecimalNumber encodes, key by key as Foundation does on Apple's systems.
///
/// A stand-in under the class's name, because swift-corelibs-foundation's archiver overflows the stack with an
/// NSDecimalNumber: its hash asks for itself.
final class DecimalStandIn: NSObject, NSCoding {
  private let value: (mantissa: [UInt16], exponent: Int32, isNegative: Bool)

  init(mantissa: [UInt16], exponent: Int32, isNegative: Bool) { value = (mantissa, exponent, isNegative) }

  required init?(coder: NSCoder) { nil }

  override var classForKeyedArchiver: AnyClass? { NSDecimalNumber.self }

  func encode(with coder: NSCoder) {
    let units = value.mantissa + Array(repeating: 0, count: 8 - value.mantissa.count)
    let bytes = units.flatMap { unit in withUnsafeBytes(of: unit) { Array($0) } }
    coder.encode(Int32(value.mantissa.count), forKey: "NS.length")
    coder.encode(value.exponent, forKey: "NS.exponent")
    coder.encode(value.isNegative, forKey: "NS.negative")
    coder.encode(true, forKey: "NS.compact")
    coder.encode(Int32(1.littleEndian == 1 ? 1 : 2), forKey: "NS.mantissa.bo")
    bytes.withUnsafeBufferPointer { coder.encodeBytes($0.baseAddress, length: 16, forKey: "NS.mantissa") }
  }
}

/// Archives that Foundation's own NSKeyedArchiver writes when the test runs.
@Suite("Keyed archives: Foundation's classes as the archiver writes them")
struct KeyedFoundationTests {
  typealias Format = PropertyListSerialization.PropertyListFormat

  @Test("D6: an NSTimeZone becomes a time zone or its name", arguments: [Format.binary, .xml], [true, false])
  func timeZone(_ format: Format, isSecure: Bool) throws {
    let zone = try #require(NSTimeZone(name: "Europe/Vienna"))
    let data = KeyedFixtures.archive(zone, isSecure: isSecure, format: format)
    #expect(try Archive.decodeKeyed(TimeZone.self, from: data, allowing: [:]).identifier == "Europe/Vienna")
    #expect(try Archive.decodeKeyed(String.self, from: data, allowing: [:]) == "Europe/Vienna")
    let many = KeyedFixtures.archive([zone, zone] as NSArray, isSecure: isSecure, format: format)
    #expect(try Archive.decodeKeyed([TimeZone].self, from: many, allowing: [:]).count == 2)
  }

  @Test("D6: an NSCountedSet becomes a set, or a dictionary of its counts", arguments: [Format.binary, .xml])
  func countedSet(_ format: Format) throws {
    let set = NSCountedSet()
    for text in ["a", "b", "a", "c", "a", "b"] { set.add(text as NSString) }
    let data = KeyedFixtures.archive(set, isSecure: false, format: format)
    #expect(try Archive.decodeKeyed([String: Int].self, from: data, allowing: [:]) == ["a": 3, "b": 2, "c": 1])
    #expect(try Archive.decodeKeyed(Set<String>.self, from: data, allowing: [:]) == ["a", "b", "c"])
    let empty = KeyedFixtures.archive(NSCountedSet(), isSecure: false, format: format)
    #expect(try Archive.decodeKeyed([String: Int].self, from: empty, allowing: [:]) == [:])
  }

  @Test("D6: an NSURL without characters becomes an empty text or nil, others a URL", arguments: [Format.binary, .xml])
  func url(_ format: Format) throws {
    let data = KeyedFixtures.archive(try #require(NSURL(string: "")), isSecure: true, format: format)
    #expect(try Archive.decodeKeyed(URL?.self, from: data, allowing: [:]) == nil)
    #expect(try Archive.decodeKeyed(String.self, from: data, allowing: [:]) == "")
    let error = #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(URL.self, from: data, allowing: [:]) }
    #expect(error?.code == .invalidValue)
    let base = try #require(URL(string: "https://example.org/a/"))
    let relative = try #require(NSURL(string: "b?c=d", relativeTo: base))
    let other = KeyedFixtures.archive(relative, isSecure: true, format: format)
    #expect(try Archive.decodeKeyed(URL.self, from: other, allowing: [:]).absoluteString == relative.absoluteString)
  }

  @Test("D6: an NSDecimalNumber becomes a decimal to the last digit", arguments: [Format.binary, .xml])
  func decimal(_ format: Format) throws {
    func data(_ mantissa: [UInt16], _ exponent: Int32, isNegative: Bool = false) -> Data {
      let number = DecimalStandIn(mantissa: mantissa, exponent: exponent, isNegative: isNegative)
      return KeyedFixtures.archive(number, isSecure: false, format: format)
    }
    // 1,234,567,890,123 is 0x011f_71fb_04cb.
    let price = data([0x04cb, 0x71fb, 0x011f], -2, isNegative: true)
    #expect(try Archive.decodeKeyed(Decimal.self, from: price, allowing: [:]) == Decimal(string: "-12345678901.23"))
    let largest = data([UInt16](repeating: .max, count: 8), 0)
    #expect(
      try Archive.decodeKeyed(Decimal.self, from: largest, allowing: [:])
        == Decimal(string: "340282366920938463463374607431768211455"))
    #expect(try Archive.decodeKeyed(Decimal.self, from: data([], 0), allowing: [:]) == 0)
    #expect(try Archive.decodeKeyed(Decimal.self, from: data([], 0, isNegative: true), allowing: [:]).isNaN)
    #expect(try Archive.decodeKeyed(Int.self, from: data([42], 0), allowing: [:]) == 42)
    #expect(try Archive.decodeKeyed(Decimal.self, from: data([1], 127), allowing: [:]) == Decimal(string: "1e127"))
  }

  /// Written by hand as `plutil -convert xml1` prints an archive of Apple's Foundation: 12.34.
  private static let appleDecimal = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    	<key>$archiver</key>
    	<string>NSKeyedArchiver</string>
    	<key>$objects</key>
    	<array>
    		<string>$null</string>
    		<dict>
    			<key>$class</key>
    			<dict><key>CF$UID</key><integer>2</integer></dict>
    			<key>NS.compact</key>
    			<true/>
    			<key>NS.exponent</key>
    			<integer>-2</integer>
    			<key>NS.length</key>
    			<integer>1</integer>
    			<key>NS.mantissa</key>
    			<data>
    			0gQAAAAAAAAAAAAAAAAAAA==
    			</data>
    			<key>NS.mantissa.bo</key>
    			<integer>1</integer>
    			<key>NS.negative</key>
    			<false/>
    		</dict>
    		<dict>
    			<key>$classes</key>
    			<array>
    				<string>NSDecimalNumber</string>
    				<string>NSNumber</string>
    				<string>NSValue</string>
    				<string>NSObject</string>
    			</array>
    			<key>$classname</key>
    			<string>NSDecimalNumber</string>
    		</dict>
    	</array>
    	<key>$top</key>
    	<dict>
    		<key>root</key>
    		<dict><key>CF$UID</key><integer>1</integer></dict>
    	</dict>
    	<key>$version</key>
    	<integer>100000</integer>
    </dict>
    </plist>
    """

  @Test("D6: an NSDecimalNumber in the form of Apple's Foundation is read")
  func apple() throws {
    let data = Data(Self.appleDecimal.utf8)
    #expect(try Archive.decodeKeyed(Decimal.self, from: data, allowing: [:]) == Decimal(string: "12.34"))
    #expect(try Archive.decodeKeyed(Double.self, from: data, allowing: [:]) == 12.34)
  }
}
