import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

/// The memory that a statement's texts and bytes are copied into: it is used again for the next row, and by nobody else
/// meanwhile.
@Suite(.serialized, .timeLimit(.minutes(20))) struct BindingTests {
  /// Lengths around those at which a text moves out of its value, and memory out of its chunk.
  private static let lengths = [0, 1, 8, 15, 16, 17, 100, 1_000, 1_023, 1_024, 1_025, 2_048, 5_000, 70_000]

  private static func text(_ generator: inout SplitMix64) -> String {
    let letters: [Character] = ["a", "Z", " ", "\0", "é", "漢", "🥛"]
    let isPlain = Bool.random(using: &generator)
    let length = lengths.randomElement(using: &generator) ?? 0
    return String((0..<length).map { _ in isPlain ? "x" : letters.randomElement(using: &generator) ?? "a" })
  }

  private static func bytes(_ generator: inout SplitMix64) -> Data {
    let length = lengths.randomElement(using: &generator) ?? 0
    let byte = UInt8.random(in: 0...255, using: &generator)
    return Data(repeating: byte, count: length)
  }

  private static func letter(_ id: Int, _ generator: inout SplitMix64) -> Missive {
    Missive(
      id: id, sender: text(&generator), weight: Double.random(in: 0...9, using: &generator),
      note: Bool.random(using: &generator) ? text(&generator) : nil, seal: bytes(&generator),
      stamp: Bool.random(using: &generator) ? bytes(&generator) : nil, body: Whisper(text: text(&generator)),
      end: text(&generator))
  }

  @Test("rows of any lengths, one after another and at once, come back as they were") func lengths() async throws {
    var generator = SplitMix64(seed: TestSeed.value &* 31)
    let letters = (0..<120).map { Self.letter($0, &generator) }
    let others = (0..<120).map { Self.letter($0, &generator) }
    try await withTemporaryStore(for: Missive.self) { store in
      try await store.insert(letters)
      #expect(try await store.fetch(Missive.all.sorted(by: \.id)) == letters, "seed \(TestSeed.value)")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for letter in others { group.addTask { try await store.save(letter) } }
        try await group.waitForAll()
      }
      #expect(try await store.fetch(Missive.all.sorted(by: \.id)) == others, "seed \(TestSeed.value)")
      try await store.update(letters)
      for letter in letters {
        #expect(try store.blocking.find(Missive.self, letter.id) == letter, "seed \(TestSeed.value)")
      }
    }
  }

  @Test("a row that is refused after some of its values were bound leaves nothing for the next one")
  func refusal() async throws {
    try await withTemporaryStore(for: Missive.self) { store in
      let long = String(repeating: "long ", count: 1_000)
      let good = Missive(id: 1, sender: long, note: nil, seal: Data(), stamp: Data([1]), end: "")
      var bad = Missive(id: 2, sender: "not to be seen", note: "nor this", seal: Data([7]), end: "nor that")
      bad.weight = .nan
      for _ in 0..<3 {
        await #expect(throws: StoreError.self) { try await store.insert([good, bad]) }
        #expect(throws: StoreError.self) { try store.blocking.save(bad) }
        await #expect(throws: StoreError.self) { try await store.save(bad) }
      }
      #expect(try await store.count(Missive.all) == 0)
      try await store.insert([good])
      #expect(try await store.fetch(Missive.all) == [good])
    }
  }

  @Test("a value that writes and reads in the same transaction while it is encoded and decoded")
  func nesting() throws {
    try withTemporaryStore(for: Missive.self) { store in
      let outer = Missive(
        id: 1, sender: "outer sender, too long for a small text", body: Whisper(text: "outer"), end: "e")
      let inner = Missive(id: 2, sender: "inner sender, which is longer than the other", note: "n", end: "inner end")
      try store.blocking.write { db in
        Whisper.whileEncoding = { text in
          guard text == "outer", try db.find(Missive.self, 2) == nil else { return }
          try db.insert(inner)
        }
        defer { Whisper.whileEncoding = nil }
        try db.insert(outer)
      }
      #expect(try store.blocking.fetch(Missive.all.sorted(by: \.id)) == [outer, inner])

      try store.blocking.read { db in
        var found: [Missive?] = []
        Whisper.whileDecoding = { text in
          if text == "outer" { found.append(try db.find(Missive.self, 2)) }
        }
        defer { Whisper.whileDecoding = nil }
        let one = try db.find(Missive.self, 1)
        let all = try db.fetch(Missive.all.sorted(by: \.id))
        #expect(one == outer)
        #expect(all == [outer, inner])
        #expect(found == [inner, inner])
      }
    }
  }

  @Test("text is exact whatever its length, and one byte that is not UTF-8 is an error wherever it stands")
  func exactness() throws {
    try withTemporaryStore(for: Missive.self) { store in
      try store.blocking.insert(Missive(id: 1, sender: ""))
      for length in 1...34 {
        for position in 0..<length {
          var bytes = Data(repeating: UInt8(ascii: "a"), count: length)
          bytes[position] = 0xE9
          try store.blocking.sql("update \(Missive.self) set sender = cast(\(bytes) as text)")
          #expect(throws: StoreError.self, "\(length), \(position)") { try store.blocking.find(Missive.self, 1) }
          guard position + 1 < length else { continue }
          bytes.replaceSubrange(position...position + 1, with: Array("é".utf8))
          try store.blocking.sql("update \(Missive.self) set sender = cast(\(bytes) as text)")
          let sender = try store.blocking.find(Missive.self, 1)?.sender
          #expect(sender.map { Data($0.utf8) } == bytes)
        }
      }
    }
  }
}

/// A row with texts and bytes before and after a value that is encoded by code of its own.
@Model("missives")
struct Missive: Hashable {
  var id: Int
  var sender: String
  var weight = 1.0
  var note: String?
  var seal = Data()
  var stamp: Data?
  var body = Whisper(text: "")
  var end = ""
}

/// A value that calls the test while it is encoded and decoded.
struct Whisper: Hashable, Codable {
  var text: String

  /// Only set within a test, whose suite is serialized, on the thread that encodes.
  nonisolated(unsafe) static var whileEncoding: ((String) throws -> Void)?
  nonisolated(unsafe) static var whileDecoding: ((String) throws -> Void)?

  init(text: String) {
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    try Self.whileDecoding?(text)
  }

  func encode(to encoder: any Encoder) throws {
    try Self.whileEncoding?(text)
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
