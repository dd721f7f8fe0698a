import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

/// Valid files whose graph is hostile: they have no byte that is wrong.
@Suite("Archives: hostile graphs")
struct HostileGraphTests {
  func code<Value: Sendable>(
    onStackOf size: Int = 512 << 10, _ body: @escaping @Sendable () throws -> Value
  ) -> ArchiveError.Code? {
    #expect(throws: ArchiveError.self) { try SmallThread.run(stackSize: size, body) }?.code
  }

  @Test("D2: a chain of references to references is as deep as it is long", arguments: [101, 2_000, 10_000, 100_000])
  func chain(_ length: Int) {
    let data = BinaryListBuilder.keyedArchive { builder in
      (0..<length).map { builder.add(.uid($0 + 2)) } + [builder.add(.text("end"))]
    }
    #expect(code { try Archive.decodeKeyed(String.self, from: data, allowing: [:]) } == .limitExceeded)
    // Whoever allows any depth meets the end of the stack, as an error.
    let limits = Archive.Limits(depth: .max)
    if length > 10_000 {
      #expect(
        code { try Archive.decodeKeyed(String.self, from: data, allowing: [:], limits: limits) } == .limitExceeded)
    }
  }

  @Test("D6: a reference to a reference is followed where it is within the limits")
  func shortChain() throws {
    let data = BinaryListBuilder.keyedArchive { builder in
      [builder.add(.uid(2)), builder.add(.uid(3)), builder.add(.text("end"))]
    }
    #expect(try Archive.decodeKeyed(String.self, from: data, allowing: [:]) == "end")
    #expect(
      code { try Archive.decodeKeyed(String.self, from: data, allowing: [:], limits: .init(depth: 1)) }
        == .limitExceeded)
  }

  @Test(
    "D2: a key that is there twice is damage, in either form of its text and whatever its length", arguments: 0..<14)
  func twice(length: Int) throws {
    func decode(_ first: BinaryListBuilder.Object, _ second: BinaryListBuilder.Object) throws -> [String: Int] {
      var builder = BinaryListBuilder()
      builder.add(.array([1]))
      builder.add(.dictionary([(key: 2, value: 4), (key: 3, value: 4)]))
      for object in [first, second, .integer(1)] { builder.add(object) }
      return try Archive.decode(
        [String: Int].self, from: Mutation.archive(of: builder.list(), tag: "[Swift.String: Swift.Int]"))
    }
    let key = String("abcdefghijklmn".prefix(length))
    for (first, second): (BinaryListBuilder.Object, BinaryListBuilder.Object) in [
      (.text(key), .text(key)), (.text(key), .wideText(key)), (.wideText(key), .text(key)),
      (.wideText(key), .wideText(key)),
    ] {
      let error = #expect(throws: ArchiveError.self) { try decode(first, second) }
      #expect(error?.code == .damaged)
      // Another key, of the same length or longer by a zero, is not the same.
      #expect(try decode(first, .wideText(key + "\0")).count == 2)
      if length > 0 { #expect(try decode(first, .text(key.dropLast() + "z")).count == 2) }
    }
  }

  @Test(
    "D2: arrays in arrays without a limit of depth meet the end of the stack as an error",
    arguments: ["own", "keyed", "XML"])
  func deep(_ kind: String) throws {
    var builder = BinaryListBuilder()
    for number in 0..<100_000 { builder.add(.array([number + 1])) }
    builder.add(.null)
    let list = builder.list()
    let xml = Data("<plist>".utf8) + Data(String(repeating: "<array>", count: 100_000).utf8)
    let limits = Archive.Limits(depth: .max)
    switch kind {
    case "own":
      let archive = try Mutation.archive(of: list, tag: "[Swift.Int]")
      #expect(code { try Archive.decode([Int].self, from: archive, limits: limits) } == .limitExceeded)
    case "keyed":
      #expect(code { try Archive.decodeKeyed(Int.self, from: list, allowing: [:], limits: limits) } == .limitExceeded)
    default:
      #expect(code { try Archive.decodeKeyed(Int.self, from: xml, allowing: [:], limits: limits) } == .limitExceeded)
    }
  }

  /// Asks whether it is a text before it looks for a key.
  private enum Either: Codable, Sendable, Equatable {
    case text(String)
    case number(Int)

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else {
        self = .number(try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .number))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      if case .number(let number) = self { try container.encode(number, forKey: .number) }
    }

    private enum Key: CodingKey { case number }
  }

  private static func object(
    of name: String, _ builder: inout BinaryListBuilder, number: Int, classAt place: Int
  ) -> [Int] {
    let (classKey, key, nameKey) = (
      builder.add(.text("$class")), builder.add(.text("number")), builder.add(.text("$classname"))
    )
    let value = builder.add(
      .dictionary([(classKey, builder.add(.uid(place))), (key, builder.add(.integer(Int64(number))))]))
    return [value, builder.add(.dictionary([(nameKey, builder.add(.text(name)))]))]
  }

  @Test("D6: a type that looks into the value it is made of, before it asks for a key, is built once")
  func either() throws {
    let data = BinaryListBuilder.keyedArchive { Self.object(of: "Either", &$0, number: 5, classAt: 2) }
    #expect(
      try SmallThread.run {
        try Archive.decodeKeyed(Either.self, from: data, allowing: ["Either": .codable(Either.self)])
      } == .number(5))
    struct Wrapper: Decodable, Sendable {
      let value: Either
      init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Either.self) }
    }
    #expect(
      try Archive.decodeKeyed(Wrapper.self, from: data, allowing: ["Either": .codable(Either.self)]).value == .number(5)
    )
  }

  /// A type that asks for itself.
  private struct Endless: Codable, Sendable {
    init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Endless.self) }
    func encode(to encoder: any Encoder) throws { try [Int]().encode(to: encoder) }
  }

  @Test(
    "D2: a type that asks for itself without end is an error, not an overflow of the stack", arguments: [true, false])
  func endless(isKeyed: Bool) throws {
    let keyed = BinaryListBuilder.keyedArchive { Self.object(of: "Endless", &$0, number: 5, classAt: 2) }
    let own = try Mutation.archive(of: Plists.arrays([[1], []]), tag: "Endless")
    struct Alias: Archivable, Sendable {
      static let archiveTag = "Endless"
      let value: Endless
      init(from decoder: any Decoder) throws { value = try Endless(from: decoder) }
    }
    #expect(
      code {
        if isKeyed {
          _ = try Archive.decodeKeyed(Endless.self, from: keyed, allowing: ["Endless": .codable(Endless.self)])
        } else {
          _ = try Archive.decode(Alias.self, from: own)
        }
      } == .limitExceeded)
  }

  /// Two types for one class, each of which asks for the other, and how often either was built.
  private final class Left: Decodable, Sendable {
    static let built = Atomic(0)
    let next: Right?

    init(from decoder: any Decoder) throws {
      Self.built.add(1, ordering: .relaxed)
      next = try decoder.container(keyedBy: NextKey.self).decode(Right?.self, forKey: .next)
    }
  }

  private final class Right: Decodable, Sendable {
    let next: Left?

    init(from decoder: any Decoder) throws {
      Left.built.add(1, ordering: .relaxed)
      next = try decoder.container(keyedBy: NextKey.self).decode(Left?.self, forKey: .next)
    }
  }

  private enum NextKey: CodingKey { case next }

  @Test("D6: objects that are asked for as another type than their class is mapped to are built once each")
  func alternating() throws {
    let data = BinaryListBuilder.keyedArchive { builder in
      let (classKey, key, nameKey) = (
        builder.add(.text("$class")), builder.add(.text("next")), builder.add(.text("$classname"))
      )
      let type = builder.add(.uid(91))
      return (0..<90).map { number in
        builder.add(.dictionary([(classKey, type), (key, builder.add(.uid(number == 89 ? 0 : number + 2)))]))
      } + [builder.add(.dictionary([(nameKey, builder.add(.text("Left")))]))]
    }
    #expect(
      try Archive.decodeKeyed(Left.self, from: data, allowing: ["Left": .codable(Left.self)]).next?.next?.next != nil)
    #expect(Left.built.load(ordering: .relaxed) == 90)
  }

  @Test("D2: a container in place of a count is damage, and is not built once for each set that refers to it")
  func containerAsCount() throws {
    let sets = 2_000
    let data = BinaryListBuilder.keyedArchive { builder in
      let keys = ["$class", "NS.object0", "NS.count0", "$classname"].map { builder.add(.text($0)) }
      let values = [2, 3, 4].map { builder.add(.uid($0)) }
      let set = builder.add(.dictionary(zip(keys, values).map { (key: $0, value: $1) }))
      let root = builder.add(.array((0..<sets).map { builder.add(.uid(5 + $0)) }))
      let setClass = builder.add(.dictionary([(key: keys[3], value: builder.add(.text("NSCountedSet")))]))
      let count = builder.add(.array(Array(repeating: builder.add(.integer(1)), count: 20_000)))
      return [root, setClass, builder.add(.text("a")), count] + Array(repeating: set, count: sets)
    }
    #expect(code { try Archive.decodeKeyed([Set<String>].self, from: data, allowing: [:]) } == .damaged)
  }

  // MARK: Texts over one another

  /// The memory that a call takes at most, in MiB.
  private func peak(_ body: () -> Void) -> Int {
    func memory(_ line: String) -> Int {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      return status.split(separator: "\n").first { $0.hasPrefix(line) }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = memory("VmRSS:")
    body()
    return (memory("VmHWM:") - before) / 1024
  }

  @Test(
    "D2: a small file of texts that lie over one another is refused before a text is built",
    arguments: ["own", "keyed"], ["keys", "values"])
  func overlapping(_ kind: String, _ place: String) throws {
    var builder = BinaryListBuilder()
    builder.add(.null)
    builder.add(.null)
    let texts = builder.addOverlappingTexts(1_000, length: 0x0f_7f7f)
    let null = builder.add(.null)
    builder.objects[0] = .array([1])
    builder.objects[1] = place == "keys" ? .dictionary(texts.map { ($0, null) }) : .array(texts)
    let list = builder.list()
    let archive = try Mutation.archive(of: list, tag: "[Swift.String]")
    let limits = Archive.Limits(expandedSize: 8 << 20)
    let memory = peak {
      let error = #expect(throws: ArchiveError.self) {
        kind == "own"
          ? try Archive.decode([String].self, from: archive, limits: limits)
          : try Archive.decodeKeyed([String].self, from: list, allowing: [:], limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
    // Other tests run meanwhile; the texts would take 1,000 MiB.
    #expect(memory < 500, "\(memory) MiB")
  }

  @Test("D2: dictionaries in one another whose keys are texts over one another are refused after the first few bytes")
  func nestedKeys() throws {
    var builder = BinaryListBuilder()
    builder.add(.array([1]))
    for _ in 0..<60 { builder.add(.null) }
    let texts = builder.addOverlappingTexts(60 * 100, length: 0x0f_7f7f)
    let null = builder.add(.null)
    for level in 0..<60 {
      builder.objects[1 + level] = .dictionary(
        (0..<100).map { (texts[100 * level + $0], $0 == 0 && level < 59 ? level + 2 : null) })
    }
    let archive = try Mutation.archive(of: builder.list(), tag: "[Swift.String]")
    #expect(
      code { try Archive.decode([String].self, from: archive, limits: .init(expandedSize: 8 << 20)) } == .limitExceeded)
  }
}
