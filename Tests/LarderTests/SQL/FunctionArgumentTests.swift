import Foundation
import LarderRandom
import LarderTestSupport
import Testing

@testable import Larder

@Model(expires: true)
private struct Crate {
  var id: UUID
  @Attribute(.searchable) var label: String
  var price: Decimal = 0
  var weight: Float = 0
  var picture: Larder.Attachment?
  @Relationship(deleteRule: .cascade, inverse: \Apple.crate) var apples: ToMany<Apple> = []
  @Derived(.sum(\Crate.apples, \Apple.price)) var value: Decimal = 0
}

@Model
private struct Apple {
  var id: UUID
  var price: Decimal = 0
  var crate: ToOne<Crate>
}

@Suite("SQL: functions") struct FunctionArgumentTests {
  private static let values = [
    "NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1e999", "-1e999", "-0.0", "5e-324", "2.5",
    "''", "'a'", "char(0)", "'\u{e9}'", "'[1,{\"a\":[true,null,\"x\"]}]'", "'{\"a\":1e400}'", "'{'", "'[1'", "'\"'",
    "CAST(x'ff80' AS TEXT)", "CAST(x'22ff22' AS TEXT)", "x''", "x'00ff'", "zeroblob(16)", "'2020-02-30'", "'1e400'",
    "'-0.10'", "'Europe/Vienna'", "'NFC'", "hex(zeroblob(400))", "replace(hex(zeroblob(3000)), '00', '[')",
  ]

  @Test("each of Larder's own returns or throws, whatever its arguments are", arguments: [true, false])
  func anyArguments(isManaged: Bool) throws {
    let file = try StoreFile()
    _ = try Store(at: file.path, for: Crate.self, Apple.self)
    let store = isManaged ? try file.open(Crate.self, Apple.self) : try Store(at: file.path, schema: .existing)
    var random = SplitMix64(seed: 1)
    var calls = 0
    try store.blocking.write { db in
      let functions = try db.sql(
        "SELECT DISTINCT name, type, narg FROM pragma_function_list WHERE name LIKE '%larder%'")
      #expect(functions.count > 30)
      for function in functions {
        let (name, type) = (function["name"]?.text ?? "", function["type"]?.text ?? "")
        let count = Int(function["narg"]?.integer ?? 0)
        for count in count < 0 ? 0...6 : count...count {
          for _ in 0..<(count == 0 ? 1 : 40) {
            let arguments = (0..<count).map { _ in Self.values.randomElement(using: &random) ?? "NULL" }
            let call = "\(name)(\(arguments.joined(separator: ", ")))"
            _ = try? db.sql(SQL(raw: "SELECT \(call)"))
            if type == "w" { _ = try? db.sql(SQL(raw: "SELECT \(call) OVER (ROWS 1 PRECEDING)")) }
            calls += 1
          }
        }
      }
      #expect(calls > 1000)
      #expect(try db.sql("SELECT 1").count == 1)
    }
  }

  @Test(
    "those that take any number of arguments are refused with too few",
    arguments: [
      "larder_json()", "larder_json_contains('[]', 0)", "larder_decimal_json()", "larder_integer_add()",
      "larder_integer_subtract()", "larder_integer_multiply()", "larder_float_add()", "larder_float_subtract()",
      "larder_float_multiply()",
    ])
  func noArguments(call: String) throws {
    let store = try Store(inMemoryFor: Apple.self, Crate.self)
    let error = #expect(throws: StoreError.self) { try store.blocking.sql(SQL(raw: "SELECT \(call)")) }
    #expect(error?.message.contains("wrong number of arguments") == true)
  }
}
