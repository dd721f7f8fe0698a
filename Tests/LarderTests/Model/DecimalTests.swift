import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct DecimalTests {
  private func decimal(_ text: String) throws -> Decimal {
    try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
  }

  private static let forms = [
    ("0", "0"), ("-0", "0"), ("1.50", "1.5"), ("100", "100"), ("-0.10", "-0.1"), ("1e3", "1000"), ("1e-5", "0.00001"),
    ("12345678901234567890.123456789", "12345678901234567890.123456789"),
    ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ("-0.99999999999999999999999999999999999999", "-0.99999999999999999999999999999999999999"),
    ("9999999999999999999.9999999999999999999", "9999999999999999999.9999999999999999999"),
  ]

  @Test("equal decimals are equal text", arguments: forms)
  func canonical(input: String, text: String) throws {
    let value = try decimal(input)
    let store = try Store(inMemoryFor: Scalars.DecimalRow.self)
    try store.blocking.insert(Scalars.DecimalRow(id: 1, value: value, maybe: value))
    #expect(try store.blocking.rows(Scalars.DecimalRow.all).first?["value"] == .text(text))
    #expect(try store.blocking.find(Scalars.DecimalRow.self, 1)?.value == value)
    #expect(try store.blocking.count(Scalars.DecimalRow.where { $0.value == value }) == 1)
  }

  @Test("decimals are put in order and summed as numbers, to the 38th digit") func arithmetic() throws {
    let store = try Store(inMemoryFor: Scalars.DecimalRow.self)
    let values = try ["9", "10", "-2", "0.1", "0.09", "99999999999999999999999999999999999998", "-1.5"].map(decimal)
    try store.blocking.insert(values.enumerated().map { Scalars.DecimalRow(id: $0, value: $1, maybe: nil) })
    #expect(try store.blocking.fetch(Scalars.DecimalRow.all.sorted(by: \.value)).map(\.value) == values.sorted())
    #expect(try store.blocking.max(Scalars.DecimalRow.all, of: \.value) == values.max())
    #expect(try store.blocking.sum(Scalars.DecimalRow.where { $0.value < 11 }, of: \.value) == decimal("15.69"))
    let large = try decimal("99999999999999999999999999999999999998")
    #expect(
      try store.blocking.sum(
        Scalars.DecimalRow.where { $0.value == 10 || $0.value == large || $0.value == 9 }, of: \.value) == large + 19)
    #expect(try store.blocking.count(Scalars.DecimalRow.where { $0.value > 9 }) == 2)
  }

  @Test("a decimal is a key") func key() throws {
    let store = try Store(inMemoryFor: Price.self)
    try store.blocking.insert(Price(id: try decimal("1.10")))
    #expect(try store.blocking.find(Price.self, 1.1) != nil)
    #expect(throws: StoreError.self) { try store.blocking.insert(Price(id: try decimal("1.1000"))) }
  }

  @Model struct Price {
    var id: Decimal
  }
}
