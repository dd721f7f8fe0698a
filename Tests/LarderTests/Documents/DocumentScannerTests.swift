import LarderTestSupport
import Testing

@testable import Larder

/// Text of JSON that is taken as it is must be just what the reader would have made of it.
@Suite("Documents: JSON taken as it is")
struct DocumentScannerTests {
  private static let seed = TestSeed.value

  @Test(
    "B6: what is taken as it is reads as what the reader makes of it, by the same names; and the reader refuses nothing that is taken"
  )
  func agreesWithTheReader() throws {
    var generator = SplitMix64(seed: Self.seed)
    var taken = 0
    for round in 0..<3000 {
      let text = JSONText.object(depth: 0, &generator)
      guard let scanned = DocumentScanner.scan(text) else { continue }
      taken += 1
      let document = try DocumentReader.document(text)
      #expect(try DocumentReader.document(scanned.json) == document, "seed \(Self.seed), round \(round): \(text)")
      #expect(scanned.properties == document.names, "seed \(Self.seed), round \(round): \(text)")
      #expect(document["key"] == nil)
    }
    #expect(taken > 500)
  }

  @Test("B6: damaged text is never taken unless the reader takes it too")
  func damage() throws {
    var generator = SplitMix64(seed: Self.seed &+ 1)
    for round in 0..<5000 {
      var bytes = Array(JSONText.object(depth: 0, &generator).utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let position = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8.random(in: 0..<128, using: &generator)
        default:
          bytes.insert(
            UInt8(ascii: ["{", "}", "\"", ",", ":", "\\", "0", "-"].randomElement(using: &generator) ?? "{"),
            at: position)
        }
        if bytes.isEmpty { break }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard DocumentScanner.scan(text) != nil else { continue }
      #expect(throws: Never.self, "seed \(Self.seed), round \(round): \(text)") { try DocumentReader.document(text) }
    }
  }

  @Test(
    "B6: spaces between the parts are left out, and what is unusual is left to the reader",
    arguments: [
      (#"{ "a" : [ 1 , 2.50 ] , "b c" : "x y \" z" }"#, #"{"a":[1,2.50],"b c":"x y \" z"}"#),
      ("{}", "{}"), (" {\n} ", "{}"), (#"{"a":-0.5,"b":true}"#, #"{"a":-0.5,"b":true}"#), (#"{"key":1}"#, nil),
      (#"{"a":1,"a":2}"#, nil),
      (#"{"a":{"b":1,"b":2}}"#, nil), (#"{"é":1}"#, nil), (#"{"a":1e3}"#, nil), (#"{"a":1234567890123456789}"#, nil),
      (#"{"a":-0.30000000000000004}"#, #"{"a":-0.30000000000000004}"#), (#"{"a":0.10000000000000001}"#, nil),
      (#"{"a":-0}"#, nil),
      (#"{"a":01}"#, nil), (#"{"a":"\u0041"}"#, nil), (#"{"a":1,}"#, nil), (#"{"a":1} x"#, nil), ("[]", nil), ("", nil),
      (#"{"a\"b":1}"#, nil),
      (#"{"a":1."#, nil), (#"{"a":"#, nil), (#"{"a":tru}"#, nil), ("{\"a\":\"\u{1}\"}", nil),
    ])
  func taken(_ text: String, _ expected: String?) {
    #expect(DocumentScanner.scan(text)?.json == expected)
  }

  @Test("B6: a batch of texts is stored whole or not at all, and the error says which text is wrong")
  func batch() async throws {
    let store = try Store(configuration: Store.Configuration())
    let people = store.documents("people")
    try await people.save(json: ["a": #"{"name":"Ada","key":"ignored"}"#])
    try await people.save(json: ["b": #"{"name":"Bob","age":7}"#])
    #expect(try await people.find("a") == ["name": "Ada"])
    #expect(try await people.properties == ["name", "age"])
    let error = await #expect(throws: StoreError.self) {
      try await people.save(json: [(key: "c", value: "{}"), (key: "d", value: "{\"a\":}")])
    }
    #expect(error?.code == .invalidValue && error?.model == "people")
    #expect(
      error?.message.contains("In text 1: ") == true && error?.message.contains("offset 5") == true,
      "\(error?.message ?? "")")
    #expect(try await people.keys() == ["a", "b"])
  }
}

/// Random JSON with all that the grammar allows.
private enum JSONText {
  static func object(depth: Int, _ generator: inout SplitMix64) -> String {
    let members = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
      let name =
        ["a", "b", "key", "home town", "é", "x\\\"y", "\\u0041", "long name of a property"].randomElement(
          using: &generator) ?? "a"
      return "\"\(name)\"" + space(&generator) + ":" + space(&generator) + value(depth: depth + 1, &generator)
    }
    return "{" + space(&generator) + members.joined(separator: "," + space(&generator)) + space(&generator) + "}"
  }

  private static func value(depth: Int, _ generator: inout SplitMix64) -> String {
    switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &generator) {
    case 0:
      ["0", "-0", "-0.25", "12", "1.5e3", "9223372036854775807", "9223372036854775808", "-7", "1E-2"].randomElement(
        using: &generator) ?? "1"
    case 1:
      ["\"\"", "\"x\"", "\"ü 😀\"", "\"\\n\\t\\\\\"", "\"\\u00e9\"", "\" { [ , \""].randomElement(using: &generator)
        ?? "\"\""
    case 2: ["true", "false", "null"].randomElement(using: &generator) ?? "null"
    case 3: "[]"
    case 4:
      "[" + (0..<3).map { _ in value(depth: depth + 1, &generator) }.joined(separator: "," + space(&generator)) + "]"
    default: object(depth: depth + 1, &generator)
    }
  }

  private static func space(_ generator: inout SplitMix64) -> String {
    ["", "", "", " ", "\n\t"].randomElement(using: &generator) ?? ""
  }
}
