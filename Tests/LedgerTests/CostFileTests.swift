import Foundation
import Larder
import Testing

@testable import Ledger

@Suite("Files of costs")
struct CostFileTests {
  private let accounts = [Account(name: "Cash", currency: .eur), Account(name: "Bank, main", currency: .usd)]
  private let categories = [Category(name: "Food"), Category.initialValue]

  private func file(_ text: String) throws -> CostFile {
    try CostFile(Array(text.utf8), accounts: accounts, categories: categories)
  }

  @Test("C7: each line becomes a cost, in any order of columns and with any of the separators")
  func lines() throws {
    let text =
      "\u{FEFF}Note;Amount;Date;Account;Category\r\n\"Bread; \"\"rye\"\"\nand butter\";-3,50;21.11.2026;cash;FOOD\r\nPay;1.000,00;2026-11-22;\"Bank, main\";\r\n"
    let file = try file(text)
    #expect(file.refused == [])
    #expect(file.lines.map(\.cost.amount.amountText) == ["-3.50", "1000.00"])
    #expect(file.lines.map(\.cost.date.rawValue) == ["2026-11-21", "2026-11-22"])
    #expect(file.lines.map(\.cost.note) == ["Bread; \"rye\"\nand butter", "Pay"])
    #expect(file.lines.map(\.cost.account.id) == accounts.map(\.id))
    #expect(file.lines.map(\.cost.category?.id) == [categories[0].id, nil])
  }

  @Test(
    "C7: a line that cannot be imported is refused with the reason, and the others are not",
    arguments: [
      ("2026-13-01,Cash,EUR,Food,-1,x", ["There is no day “2026-13-01” in the calendar from 1900 on."]),
      ("soon,Cash,EUR,Food,-1,x", ["“soon” is not a date. Write year, month, day: 2026-11-21."]),
      (
        "03/04/2026,Cash,EUR,Food,-1,x",
        ["The date “03/04/2026” can be read in two ways. Write year, month, day: 2026-11-21."]
      ),
      (",Cash,EUR,Food,-1,x", ["A date is missing."]),
      ("2026-11-21,Purse,EUR,Food,-1,x", ["There is no account “Purse”."]),
      ("2026-11-21,,EUR,Food,-1,x", ["An account is missing."]),
      ("2026-11-21,Cash,GBP,Food,-1,x", ["“GBP” is not a currency that Ledger knows: CNY, EUR, USD."]),
      ("2026-11-21,Cash,USD,Food,-1,x", ["The account “Cash” is kept in EUR, not in USD."]),
      ("2026-11-21,Cash,EUR,Food,one,x", ["“one” is not a number."]),
      ("2026-11-21,Cash,EUR,Food,,x", ["An amount is missing."]),
      (
        "2026-11-21,Cash,EUR,Food,\"1,234\",x",
        ["“1,234” can be read in two ways: write it without a separator for thousands."]
      ),
      ("2026-11-21,Cash,EUR,Food,1.2345,x", ["An amount has at most two decimals."]),
      ("2026-11-21,Cash,EUR,Food,12,50,x", ["It has 7 fields; the first line has 6."]),
      ("2026-11-21,Cash,EUR", ["It has 3 fields; the first line has 6."]),
      (
        "2026-11-21,Cash,EUR,initValue,1,x",
        ["The category “initValue” is Ledger's own: set the account's initial value instead."]
      ),
      (
        "2026-11-21,\"Cash\"x,EUR,Food,1,x",
        ["There is text after the closing quote of a field; write a quote within a field twice."]
      ),
      (
        "no,Nobody,QQQ,Food,x,x",
        [
          "“no” is not a date. Write year, month, day: 2026-11-21.", "There is no account “Nobody”.",
          "“QQQ” is not a currency that Ledger knows: CNY, EUR, USD.", "“x” is not a number.",
        ]
      ),
    ]
  )
  func refusals(line: String, reasons: [String]) throws {
    let good = "2026-11-21,Cash,EUR,Food,-1,x"
    let file = try file("date,account,currency,category,amount,note\n\(good)\n\(line)\n\(good)\n")
    #expect(file.refused.map(\.line) == [3])
    #expect(file.refused.first?.reasons == reasons)
    #expect(file.lines.map(\.number) == [2, 4])
  }

  @Test("C7: a category that is not there yet is made once, whatever the case of its letters")
  func newCategories() throws {
    let file = try file(
      "date,account,amount,category\n2026-11-21,Cash,1,Gifts\n2026-11-21,Cash,1,gifts\n2026-11-21,Nobody,1,Never\n")
    #expect(file.newCategories.map(\.name) == ["Gifts"])
    #expect(Set(file.lines.map(\.cost.category?.id)) == [file.newCategories[0].id])
  }

  @Test(
    "a file that cannot be read as a whole is refused with the reason",
    arguments: ["", "\n\n", "a,b,c\n1,2,3", "date,amount\n2026-11-21,1", "date,account,amount,amount\n"]
  )
  func wholeFile(text: String) {
    #expect(throws: InvalidText.self) { try file(text) }
  }

  @Test("C7: an import saves all lines as one change, tells how far it is, and can be undone")
  func importing() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash")
      let before = try await service.content()
      let lines = (0..<1200).map { "2026-11-\($0 % 28 + 1),Cash,-0.10,New,\($0)" }
      let bytes = Array(
        ("date,account,amount,category,note\n" + lines.joined(separator: "\n") + "\nbad,Cash,1,,\n").utf8)
      let preview = try await service.preview(of: bytes)
      #expect(preview.lines.count == 1200)
      #expect(preview.refused.count == 1)
      #expect(try await service.content() == before, "a preview saves nothing")
      var last: ImportProgress?
      for try await progress in service.importCosts(bytes, named: "costs.csv") {
        #expect(progress.done >= last?.done ?? 0)
        last = progress
      }
      #expect(last == ImportProgress(done: 1200, total: 1200, refused: 1, skipped: 0, isSaved: true))
      #expect(try await service.balance(cash) == "-120.00")
      #expect(try await service.undo() == "Import of costs.csv: 1200 costs")
      #expect(try await service.content() == before)
    }
  }

  @Test("C7: what is exported is imported as it was")
  func roundTrip() async throws {
    try await withLedger { service in
      let names = ["=1+1", "Cash, \"small\"", "line\nbreak", "-5"]
      for name in names {
        let account = try await service.account(name, .usd)
        let category = try await service.createCategory(named: "@\(name)")
        for note in ["", "=cmd()", "a;b,c", "'=x", "two\r\nlines", "<script>"] {
          try await service.cost("-1234.50", of: account, category: category, note: note)
        }
      }
      let exported = try await service.exported()
      let before = try await service.state().costs
      let file = try await service.preview(of: Array(exported.utf8))
      #expect(file.refused == [])
      #expect(file.newCategories.isEmpty)
      #expect(file.lines.map(\.cost.note) == before.map(\.note))
      #expect(file.lines.map(\.cost.account.id) == before.map(\.account))
      #expect(file.lines.map(\.cost.category?.id) == before.map(\.category))
      #expect(file.lines.map(\.cost.amount.amountText) == before.map(\.amount))
    }
  }
}

extension LedgerService {
  /// All of an export as one text.
  fileprivate func exported() async throws -> String {
    var text = CostFileHeader.line
    for try await line in exportedLines(CostFilter()) { text += line }
    return text
  }
}
