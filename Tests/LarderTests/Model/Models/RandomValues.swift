import Foundation
import LarderTestSupport

/// Random values of every storable type, extremes among them.
extension SplitMix64 {
  /// One in eight times an extreme.
  private mutating func pick<Value>(_ extremes: [Value], or make: (inout SplitMix64) -> Value) -> Value {
    Int.random(in: 0..<8, using: &self) == 0 ? extremes.randomElement(using: &self) ?? make(&self) : make(&self)
  }

  mutating func bool() -> Bool { Bool.random(using: &self) }

  mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
    let least = Number(clamping: Int64.min)
    let greatest = Number(clamping: Int64.max)
    return pick([least, greatest, least + 1, greatest - 1, 0, 1]) { random in
      // Small and large numbers alike: as many bits as chance says.
      let number = Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random))
      return Number(truncatingIfNeeded: Number.isSigned ? number : number & .max)
    }
  }

  mutating func double() -> Double {
    pick([
      0, 1, -1, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi,
      0.1, 1e15,
      9_007_199_254_740_992,
    ]) { random in
      let number = Double(bitPattern: random.next())
      return number.isNaN ? 0.5 : number
    }
  }

  mutating func float() -> Float {
    pick([0, 1, -1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 0.1]) { random in
      let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      return number.isNaN ? 0.5 : number
    }
  }

  mutating func string() -> String {
    pick([
      "", "\0", "a\0b\0", "'", "\"", "%_\\", "\r\n", "\u{FEFF}x", "\u{10FFFF}", "👩‍👩‍👧‍👦", "e\u{301}", "é", "NULL", "1",
      String(repeating: "界", count: 2000),
    ]) { random in
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let ranges: [ClosedRange<UInt32>] = [
          0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
        ]
        let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { scalars.append(scalar) }
      }
      return String(scalars)
    }
  }

  mutating func data() -> Data {
    pick([Data(), Data([0]), Data(repeating: 0xFF, count: 10_000)]) { random in
      Data((0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
  }

  mutating func date() -> Date {
    pick([
      .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
      Date(timeIntervalSinceReferenceDate: -0.1),
    ]) { random in
      Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random))
    }
  }

  mutating func uuid() -> UUID {
    pick([
      UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
      UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)),
    ]) {
      var bytes = ($0.next(), $0.next())
      return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
  }

  mutating func decimal() -> Decimal {
    pick([
      0, 1, -1, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
      Decimal(sign: .plus, exponent: -2, significand: 10),
    ]) {
      random in
      var significand: Decimal = 0
      for _ in 0..<Int.random(in: 1...38, using: &random) {
        significand = significand * 10 + Decimal(Int.random(in: 0...9, using: &random))
      }
      let number = Decimal(
        sign: random.bool() ? .minus : .plus, exponent: Int.random(in: -127...89, using: &random),
        significand: significand)
      return number.isNaN ? significand : number
    }
  }

  mutating func url() -> URL {
    var components = URLComponents()
    components.scheme = ["https", "http", "mailto", "file"].randomElement(using: &self)
    if components.scheme != "mailto" {
      components.host = ["example.org", "localhost", "xn--bcher-kva.example"].randomElement(using: &self)
    }
    components.path =
      "/" + ["", "a", "a b", "ü/?", "%41", "emoji 🥛"][Int.random(in: 0..<6, using: &self)]
      + String(Int.random(in: 0...999, using: &self))
    if bool() {
      components.queryItems = [URLQueryItem(name: "q", value: "a&b=\(Int.random(in: 0...99, using: &self))")]
    }
    return components.url ?? URL(filePath: "/fallback")
  }

  mutating func array<Element>(_ count: ClosedRange<Int> = 0...5, of make: (inout SplitMix64) -> Element) -> [Element] {
    (0..<Int.random(in: count, using: &self)).map { _ in make(&self) }
  }

  mutating func optional<Value>(_ make: (inout SplitMix64) -> Value) -> Value? {
    bool() ? make(&self) : nil
  }

  mutating func corner() -> Coded.Corner {
    Coded.Corner(x: integer(), y: finiteDouble(), note: optional { $0.string() })
  }

  mutating func shape() -> Coded.Shape {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: .point
    case 1: .circle(radius: finiteDouble())
    case 2: .polygon(array { $0.corner() })
    default: .labelled(string(), at: optional { $0.corner() })
    }
  }

  mutating func drawing() -> Coded.Drawing {
    Coded.Drawing(
      title: string(), shapes: array { $0.shape() }, made: date(),
      layers: Dictionary(array { ($0.string(), $0.array { $0.corner() }) }, uniquingKeysWith: { first, _ in first }))
  }

  /// JSON has no infinities.
  mutating func finiteDouble() -> Double {
    let number = double()
    return number.isFinite ? number : 0.25
  }
}
