import Foundation
import LarderArchive
import LarderArchiveMutation
import LarderRandom
import Testing

@Suite("Archives: limits of what is written")
struct EncodingLimitTests {
  private func code(_ body: @escaping @Sendable () throws -> Void) -> ArchiveError.Code? {
    #expect(throws: ArchiveError.self) { try SmallThread.run(body) }?.code
  }

  /// A class that goes on in another encoder, or in the same, or in a container.
  private final class Ring: Encodable, @unchecked Sendable {
    let way: String
    var next: Ring?

    init(_ way: String) { self.way = way }

    func encode(to encoder: any Encoder) throws {
      switch way {
      case "single":
        var container = encoder.singleValueContainer()
        try container.encode(next)
      case "super":
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .number)
        try next?.encode(to: container.superEncoder(forKey: .next))
      case "super without a key":
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .number)
        try next?.encode(to: container.superEncoder())
      case "super in an array":
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        try next?.encode(to: container.superEncoder())
      case "super of a nested container":
        var container = encoder.container(keyedBy: Key.self)
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
        try nested.encode(1, forKey: .number)
        try next?.encode(to: nested.superEncoder(forKey: .next))
      case "super of a nested array":
        var container = encoder.unkeyedContainer()
        var nested = container.nestedUnkeyedContainer()
        try nested.encode(1)
        try next?.encode(to: nested.superEncoder())
      case "nil before super":
        var container = encoder.unkeyedContainer()
        try container.encodeNil()
        try next?.encode(to: container.superEncoder())
      case "nil with a key before super":
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeNil(forKey: .number)
        try next?.encode(to: container.superEncoder())
      case "a text that is nil before super":
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(String?.none, forKey: .number)
        try next?.encode(to: container.superEncoder())
      case "a value that is nil before super":
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent([Int]?.none, forKey: .number)
        try next?.encode(to: container.superEncoder())
      case "single nil with the same encoder":
        var container = encoder.singleValueContainer()
        try container.encodeNil()
        try next?.encode(to: encoder)
      case "the same encoder":
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .number)
        try next?.encode(to: encoder)
      default:
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(next, forKey: .next)
      }
    }

    private enum Key: CodingKey { case number, next, nested }
  }

  @Test(
    "D1: circles of values are an error on a small thread, whatever way the encoder goes",
    arguments: [
      "plain", "single", "super", "super without a key", "super in an array", "super of a nested container",
      "super of a nested array", "nil before super", "nil with a key before super", "a text that is nil before super",
      "a value that is nil before super", "single nil with the same encoder",
      "the same encoder",
    ])
  func circles(_ way: String) {
    #expect(
      code {
        let ring = Ring(way)
        ring.next = ring
        defer { ring.next = nil }
        _ = try Archive.encode(ring)
      } == .limitExceeded)
    #expect(
      code {
        let ring = Ring(way)
        ring.next = ring
        defer { ring.next = nil }
        _ = try Archive.encode(ring, limits: .init(depth: .max))
      } == .limitExceeded)
  }

  @Test(
    "D1: a circle that makes no call that may throw ends with a message, and not by overrunning a small stack",
    arguments: ["super", "key", "array", "nested", "same", "single"])
  func silentCircle(_ way: String) throws {
    let process = Process()
    process.executableURL = TestProcess.executable
    process.arguments = ["circle", way, "0"]
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus != SIGSEGV)
    // Without optimization the message is printed as well.
    #expect(output.isEmpty || output.contains("Break the circle"), "\(output)")
  }

  /// A node whose two children are one.
  private final class Shared: Encodable, @unchecked Sendable {
    let number: Int
    let left: Shared?
    let right: Shared?
    init(_ number: Int, _ child: Shared?) {
      self.number = number
      left = child
      right = child
    }
  }

  @Test("D1: a graph in which levels share their children is refused at the limit of values", arguments: [22, 60])
  func shared(levels: Int) {
    #expect(
      code {
        _ = try Archive.encode((0..<levels).reduce(Shared(0, nil)) { Shared($1, $0) }, limits: .init(count: 50_000))
      } == .limitExceeded)
  }

  @Test("D1: a value that is too deep, too many, too large or unfolds to too much is refused when it is written")
  func refused() throws {
    struct Nested: Codable { var inner: [Nested] }
    let deep = (0..<60).reduce(Nested(inner: [])) { nested, _ in Nested(inner: [nested]) }
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(deep) }?.code == .limitExceeded)
    let many = Dictionary(uniqueKeysWithValues: (0..<1_000_000).map { (String($0), 1) })
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(many) }?.code == .limitExceeded)
    let large = #expect(throws: ArchiveError.self) { try Archive.encode(Data(count: 65 << 20)) }
    #expect(large?.code == .limitExceeded && large?.message.contains("size") == true)
    let wide = Array(repeating: String(repeating: "x", count: 200), count: 2_000)
    #expect(
      #expect(throws: ArchiveError.self) { try Archive.encode(wide, limits: .init(expandedSize: 399_999)) }?.code
        == .limitExceeded)
    #expect(try Archive.encode(wide, limits: .init(expandedSize: 400_000)).count < 10_000)
  }

  @Test("D1: what is written within limits is read within them, and one less of any is refused on both sides")
  func bothSides() throws {
    let value = (0..<20).map(Creature.sample)
    let data = try Archive.encode(value)
    var exact = Archive.Limits(size: data.count)
    func writes(_ limits: Archive.Limits) -> Bool { (try? Archive.encode(value, limits: limits)) != nil }
    func reads(_ limits: Archive.Limits) -> Bool {
      (try? Archive.decode([Creature].self, from: data, limits: limits)) != nil
    }
    func least(_ path: WritableKeyPath<Archive.Limits, Int>, _ test: (Archive.Limits) -> Bool) -> Int {
      var (low, high) = (0, exact[keyPath: path])
      while low < high {
        var limits = exact
        limits[keyPath: path] = (low + high) / 2
        if test(limits) { high = (low + high) / 2 } else { low = (low + high) / 2 + 1 }
      }
      return low
    }
    for path in [\Archive.Limits.size, \.depth, \.count, \.expandedSize] {
      let number = least(path, writes)
      #expect(number == least(path, reads))
      exact[keyPath: path] = number
    }
    #expect(writes(exact) && reads(exact))
  }

  /// Random trees, encoded in all ways that there are.
  private indirect enum Tree: Encodable {
    case text(String)
    case number(Double)
    case none
    case keyed([(String, Tree)], nested: Bool)
    case list([Tree], isSuper: Bool)

    static func random(_ depth: Int, _ generator: inout SplitMix64) -> Tree {
      switch Int.random(in: 0..<(depth > 6 ? 3 : 6), using: &generator) {
      case 0:
        return .text(
          String(
            repeating: ["a", "ä", "🦑"].randomElement(using: &generator) ?? "",
            count: .random(in: 0...300, using: &generator)))
      case 1: return .number(.random(in: 0...9, using: &generator))
      case 2: return .none
      case 3, 4:
        let entries = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          (
            ["a", "b", "é", "e\u{301}", String(repeating: "k", count: 300)].randomElement(using: &generator) ?? "",
            random(depth + 1, &generator)
          )
        }
        return .keyed(entries, nested: .random(using: &generator))
      default:
        return .list(
          (0..<Int.random(in: 0...3, using: &generator)).map { _ in random(depth + 1, &generator) },
          isSuper: .random(using: &generator))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .text(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .number(let number): try number.encode(to: encoder)
      case .none:
        var container = encoder.singleValueContainer()
        try container.encodeNil()
      case .keyed(let entries, let isNested):
        var container = encoder.container(keyedBy: Key.self)
        for (key, value) in entries {
          if isNested {
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key))
            try nested.encode(value, forKey: Key(stringValue: key))
          } else {
            try container.encode(value, forKey: Key(stringValue: key))
          }
        }
      case .list(let elements, let isSuper):
        var container = encoder.unkeyedContainer()
        for element in elements {
          if isSuper { try element.encode(to: container.superEncoder()) } else { try container.encode(element) }
        }
      }
    }

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  /// Takes any value.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private struct Holder: Archivable {
    static let archiveTag = "Holder"
    var tree: Tree?
    init(tree: Tree) { self.tree = tree }
    init(from decoder: any Decoder) throws { _ = try Anything(from: decoder) }
    func encode(to encoder: any Encoder) throws { try tree?.encode(to: encoder) }
  }

  @Test("D1: random values that are written within random limits are read within them", arguments: 0..<20)
  func random(_ part: Int) throws {
    for seed in 0..<100 {
      var generator = SplitMix64(seed: UInt64(100 * part + seed))
      let holder = Holder(tree: .random(0, &generator))
      let limits = Archive.Limits(
        size: .random(in: 100...3_000, using: &generator), depth: .random(in: 1...9, using: &generator),
        count: .random(in: 2...60, using: &generator),
        expandedSize: .random(in: 0...3_000, using: &generator))
      guard let data = try? Archive.encode(holder, limits: limits) else { continue }
      #expect(throws: Never.self, "seed \(100 * part + seed)") {
        try Archive.decode(Holder.self, from: data, limits: limits)
      }
    }
  }
}
