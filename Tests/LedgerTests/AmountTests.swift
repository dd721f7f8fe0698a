import Foundation
import Testing

@testable import Ledger

@Suite("Amounts")
struct AmountTests {
  @Test(
    "an amount is typed with a comma or a point, with or without separators for thousands",
    arguments: [
      ("0", "0.00"), ("12", "12.00"), ("12.5", "12.50"), ("12,5", "12.50"), ("12.50", "12.50"), ("-12,50", "-12.50"),
      ("+3", "3.00"), ("−7", "-7.00"),
      (".5", "0.50"), (",05", "0.05"), ("007", "7.00"), (" 1 ", "1.00"), ("1.234,56", "1234.56"),
      ("1,234.56", "1234.56"),
      ("1.234.567", "1234567.00"),
      ("1,234,567", "1234567.00"), ("1 234,5", "1234.50"), ("1\u{A0}234\u{A0}567", "1234567.00"),
      ("1\u{202F}234,50", "1234.50"),
      ("1'234.50", "1234.50"),
      ("-0", "0.00"), ("-0.00", "0.00"), ("999999999999999999.99", "999999999999999999.99"),
      ("-999999999999999999.99", "-999999999999999999.99"),
      ("1,234.5", "1234.50"), ("1234.56", "1234.56"),
    ]
  )
  func typed(text: String, expected: String) throws {
    #expect(try Decimal(typed: text).amountText == expected)
  }

  @Test(
    "what is no amount is refused, and so is what can be read in two ways",
    arguments: [
      "", " ", "-", "+", ".", ",", "abc", "12x", "1e5", "0x10", "1..2", "1,2,3", "12.345", "1,234", "1.234", "0.001",
      "--1", "+-1", "1-", "€5", "1 2",
      "1.23.456,7", "1 234.567", "12,34.5", "1,234 567.5", "١٢", "NaN", "inf", "1000000000000000000", "1.2345", "12.",
    ]
  )
  func refused(text: String) {
    #expect(throws: InvalidText.self) { try Decimal(typed: text) }
  }

  @Test("an amount is written with two decimals and read again as it was")
  func roundTrip() throws {
    for number in 0..<2000 as Range<Int64> {
      // Steps of a large prime reach every pattern of digits.
      let cents = (number * 7_919_777_777_777) % 99_999_999_999_999 - 49_999_999_999_999
      let amount = Decimal(cents) / 100
      #expect(try Decimal(typed: amount.amountText) == amount)
    }
  }
}
