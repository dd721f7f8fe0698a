import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Suite("Documents: nothing in JSON becomes something else", .timeLimit(.minutes(20)))
struct DocumentExactnessTests {
  private static let seed = TestSeed.value

  @Test(
    "B6: a number that neither 64 bits nor a double holds is refused with its place and the remedy",
    arguments: [
      "12345678901234567890", "-9223372036854775809", "9223372036854775808", "18446744073709551615",
      "18446744073709551616", "0.12345678901234567891",
      "3.14159265358979323846", "1e400", "1e-400", "3e-324", "9007199254740993.5", "123456789.1234567891",
      "1.2345678901234567890e5",
    ])
  func refused(_ number: String) async throws {
    let store = try Store(configuration: Store.Configuration())
    for (json, offset) in [("{\"a\":\(number)}", 5), ("{\"a\": [1, {\"b\":\(number)}]}", 15)] {
      let error = await #expect(throws: StoreError.self) { try await store.documents("people").save("k", json: json) }
      #expect(error?.code == .invalidValue && error?.model == "people")
      #expect(
        error?.message.contains("offset \(offset)") == true && error?.message.contains("\"k\" of people") == true,
        "\(error?.message ?? "")")
      #expect(error?.message.contains(number) == false)
      #expect(throws: StoreError.self) { try DocumentValue(json: json) }
    }
    #expect(try await store.documents("people").contains("k") == false)
    // What Foundation's decoder makes of a number near zero does not tell that it was one.
    guard !number.contains("e-") else { return }
    #expect(throws: (any Error).self) { try JSONDecoder().decode([DocumentValue].self, from: Data("[\(number)]".utf8)) }
  }

  @Test(
    "B6: a number that a double holds is kept, whoever wrote it",
    arguments: [
      "0.1", "0.10000000000000001", "0.30000000000000004", "1e20", "100000000000000000000", "1E+2", "5e-324",
      "4.9406564584124654e-324",
      "1.7976931348623157e308", "2.2250738585072014e-308", "-0.0", "1.50000000000000000000", "0.000000000000000000001",
      "123456789012345.5",
      "18446744073709552000", "0e5", "0.00", "1000000000000000000000000000000",
    ])
  func kept(_ number: String) async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save("k", json: "{\"a\":\(number)}")
    #expect(try await people.find("k")?["a"]?.real == Double(number))
    // Once more, as it is written now.
    let json = try #require(try await people.json("k"))
    try await people.save("k", json: json)
    #expect(try await people.find("k")?["a"]?.real == Double(number))
  }

  @Test("B6: every double is kept by the digits that Swift and C write for it")
  func doubles() throws {
    var generator = SplitMix64(seed: Self.seed)
    for round in 0..<20_000 {
      let real = Double(bitPattern: generator.next())
      guard real.isFinite else { continue }
      for text in ["\(real)", String(format: "%.17g", real), String(format: "%.16e", real)] {
        #expect(try DocumentValue(json: text).real == real, "seed \(Self.seed), round \(round): \(text)")
      }
    }
  }

  @Test(
    "B6: a name that an object has twice is refused with its place",
    arguments: [
      ("{\"a\":1,\"a\":2}", 7), ("{\"a\":{\"b\":1,\"b\":1}}", 12), ("{\"a\":[{\"b\":1, \"\\u0062\":2}]}", 14),
      ("{\"key\":1,\"key\":2}", 9),
      ("{\"é\":1,\"e\u{301}\":2}", 8),
    ])
  func twice(_ json: String, _ offset: Int) async throws {
    let store = try Store(configuration: Store.Configuration())
    let error = await #expect(throws: StoreError.self) { try await store.documents("people").save("k", json: json) }
    #expect(
      error?.message.contains("offset \(offset)") == true && error?.message.contains("second time") == true,
      "\(error?.message ?? "")")
    #expect(error?.model == "people")
  }

  @Test("B6: what is in a file already is read as ever: the nearest number, and the last value of a name")
  func stored() async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save("k", ["a": 1])
    try await store.sql("update main.people set json = '{\"a\":0.12345678901234567891,\"b\":1,\"b\":2}'")
    #expect(try await people.find("k") == ["a": 0.12345678901234568, "b": 2])
    try await people.update("k", ["c": 3])
    #expect(try await people.find("k") == ["a": 0.12345678901234568, "b": 2, "c": 3])
  }

  private struct Amount<Number: Codable & Equatable & Sendable>: Codable, Equatable, Sendable { var n: Number }

  @Test("B2: a number decodes as the type that holds it, or as none")
  func decoding() throws {
    let large: Document = ["n": .integer((1 << 53) + 1)]
    #expect(try large.decode(Amount<Decimal>.self).n == Decimal((1 << 53) + 1))
    #expect(throws: StoreError.self) { try Document([("n", 1e300)]).decode(Amount<Float>.self) }
    #expect(try Document([("n", 0.1)]).decode(Amount<Float>.self).n == 0.1)
    #expect(throws: StoreError.self) { try Document([("n", 300)]).decode(Amount<UInt8>.self) }
    #expect(throws: StoreError.self) { try Document([("n", "12 apples")]).decode(Amount<Decimal>.self) }
  }
}
