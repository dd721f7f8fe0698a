import Foundation
import Larder
import Testing

@testable import Ledger

@Suite("The ledger's service")
struct LedgerServiceTests {
  // MARK: C5

  @Test("C5: a new ledger has its categories, and the hidden one for initial values, exactly once")
  func seeding() async throws {
    try await withTemporaryFolder { folder in
      for _ in 0..<3 {
        let service = try LedgerService(folder: folder)
        let categories = try await service.store.fetch(Category.all)
        #expect(Set(categories.map(\.name)) == Set(Category.defaults + ["initValue"]))
        #expect(categories.count == Category.defaults.count + 1)
        #expect(try await service.state().categories.map(\.name) == Category.defaults, "the hidden one is not shown")
      }
    }
  }

  @Test("C5: a category that was deleted does not come back with the next start")
  func seedingAfterDeletion() async throws {
    try await withTemporaryFolder { folder in
      let service = try LedgerService(folder: folder)
      let food = try #require(try await service.state().categories.first { $0.name == "Food" })
      try await service.deleteCategory(food.id, confirmed: 0)
      #expect(
        try await LedgerService(folder: folder).state().categories.map(\.name)
          == Category.defaults.filter { $0 != "Food" })
    }
  }

  @Test("C5: services that open the same new folder at once seed it once")
  func seedingAtOnce() async throws {
    try await withTemporaryFolder { folder in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = try LedgerService(folder: folder) } }
        try await group.waitForAll()
      }
      #expect(try await LedgerService(folder: folder).store.count(Category.all) == Category.defaults.count + 1)
    }
  }

  // MARK: C6

  @Test("C6: a balance is the sum of the costs after every kind of change")
  func balances() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash", initially: 100)
      let bank = try await service.account("Bank", initially: -50)
      #expect(try await service.balance(cash) == "100.00")
      let lunch = try await service.cost("-12.50", of: cash)
      #expect(try await service.balance(cash) == "87.50")
      let old = try #require(try await service.store.find(Cost.self, lunch)).content
      var moved = old
      moved.account = bank
      moved.amount = Decimal(string: "-12.25") ?? 0
      try await service.changeCost(lunch, to: moved, basedOn: old)
      #expect(try await service.balance(cash) == "100.00")
      #expect(try await service.balance(bank) == "-62.25")
      try await service.deleteCost(lunch)
      #expect(try await service.balance(bank) == "-50.00")
      for _ in 0..<3 { _ = try await service.undo() }
      #expect(try await service.balance(cash) == "100.00")
      #expect(try await service.store.verifyDerived().isEmpty)
    }
  }

  @Test("C6: balances are exact where binary fractions are not, and for zero and huge amounts")
  func exactDecimals() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      for _ in 0..<10 { try await service.cost("0.10", of: cash) }
      #expect(try await service.balance(cash) == "1.00")
      try await service.cost("0", of: cash)
      #expect(try await service.balance(cash) == "1.00")
      try await service.cost("999999999999999999.99", of: cash)
      try await service.cost("999999999999999999.99", of: cash)
      #expect(try await service.balance(cash) == "2000000000000000000.98")
      try await service.cost("-999999999999999999.99", of: cash)
      try await service.cost("-999999999999999999.99", of: cash)
      #expect(try await service.balance(cash) == "1.00")
    }
  }

  // MARK: C7

  @Test("C7: an account's initial value is a cost in the hidden category, and no cost that is shown")
  func initialValue() async throws {
    try await withLedger { service in
      let id = try await service.account("Cash", .cny, initially: 20)
      let stored = try await service.store.fetch(Cost.where { $0.account == id && $0.category.name == "initValue" })
      #expect(stored.map(\.amount) == [20])
      let state = try await service.state()
      #expect(state.costs.isEmpty)
      #expect(state.accounts.first?.initialValue == "20.00")
      #expect(state.accounts.first?.costs == 0)
      #expect(state.currencies.map(\.currency) == [.cny])
      #expect(state.currencies.first?.opening == "20.00")

      let old = AccountContent(name: "Cash", currency: .cny, initialValue: 20)
      try await service.changeAccount(
        id, to: AccountContent(name: "Purse", currency: .usd, initialValue: -3), basedOn: old)
      #expect(
        try await service.state().accounts.map { [$0.name, $0.currency.rawValue, $0.balance] } == [
          ["Purse", "USD", "-3.00"]
        ])
      #expect(try await service.store.count(Cost.all) == 1)
      await #expect(throws: LedgerProblem.self, "it is changed with the account alone") {
        try await service.deleteCost(stored[0].id)
      }
    }
  }

  @Test("C7: deleting an account removes its costs, after saying how many, and undo brings all of it back")
  func deletingAnAccount() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash", initially: 10)
      let bank = try await service.account("Bank")
      for number in 0..<12 { try await service.cost("-\(number).25", of: cash) }
      try await service.cost("-1", of: bank)
      let before = try await service.content()
      #expect(try await service.costsRemoved(with: cash) == 12)
      await #expect(throws: LedgerProblem.costsChanged) { try await service.deleteAccount(cash, confirmed: 11) }
      try await service.deleteAccount(cash, confirmed: 12)
      #expect(try await service.state().accounts.map(\.name) == ["Bank"])
      #expect(try await service.store.count(Cost.all) == 2, "the bank's cost and its initial value")
      _ = try await service.undo()
      #expect(try await service.content() == before)
      _ = try await service.redo()
      #expect(try await service.state().costCount == 1)
      await #expect(throws: LedgerProblem.gone("This account is not there any more.")) {
        try await service.costsRemoved(with: cash)
      }
    }
  }

  @Test("C7: deleting a category takes it from its costs, after saying from how many, and undo gives it back")
  func deletingACategory() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      let gifts = try await service.createCategory(named: "Gifts")
      for _ in 0..<3 { try await service.cost("-5", of: cash, category: gifts) }
      let before = try await service.content()
      #expect(try await service.costsLosing(gifts) == 3)
      await #expect(throws: LedgerProblem.costsChanged) { try await service.deleteCategory(gifts, confirmed: 0) }
      try await service.deleteCategory(gifts, confirmed: 3)
      #expect(try await service.state().costs.map(\.category) == [nil, nil, nil])
      #expect(try await service.balance(cash) == "-15.00")
      _ = try await service.undo()
      #expect(try await service.content() == before)
    }
  }

  @Test("C7: every change can be undone and redone, one after another")
  func undoAndRedo() async throws {
    try await withLedger { service in
      var states = [try await service.content()]
      func step(_ change: () async throws -> Void) async throws {
        try await change()
        states.append(try await service.content())
      }
      var cash = UUID()
      var gifts = UUID()
      var cost = UUID()
      try await step { cash = try await service.account("Cash", initially: 5) }
      try await step { gifts = try await service.createCategory(named: "Gifts") }
      try await step { cost = try await service.cost("-3", of: cash, category: gifts, note: "Flowers") }
      try await step {
        let old = try #require(try await service.store.find(Cost.self, cost)).content
        var new = old
        new.note = "Roses"
        try await service.changeCost(cost, to: new, basedOn: old)
      }
      try await step { try await service.renameCategory(gifts, to: "Presents", basedOn: "Gifts") }
      try await step {
        let old = AccountContent(name: "Cash", currency: .eur, initialValue: 5)
        try await service.changeAccount(
          cash, to: AccountContent(name: "Purse", currency: .eur, initialValue: 7), basedOn: old)
      }
      try await step { try await service.deleteCategory(gifts, confirmed: 1) }
      try await step { try await service.deleteCost(cost) }
      try await step { try await service.deleteAccount(cash, confirmed: 0) }

      for state in states.dropLast().reversed() {
        _ = try await service.undo()
        #expect(try await service.content() == state)
      }
      await #expect(throws: LedgerProblem.refused("There is nothing to undo.")) { try await service.undo() }
      for state in states.dropFirst() {
        _ = try await service.redo()
        #expect(try await service.content() == state)
      }
      await #expect(throws: LedgerProblem.refused("There is nothing to redo.")) { try await service.redo() }
      #expect(try await service.store.verifyDerived().isEmpty)
    }
  }

  @Test("a new change ends what can be redone")
  func newChangeAfterUndo() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      try await service.cost("-1", of: cash, note: "First")
      #expect(try await service.undo() == "“First” added")
      #expect(try await service.state().history == History.Outlook(undo: "Account “Cash” added", redo: "“First” added"))
      try await service.cost("-2", of: cash, note: "Second")
      #expect(try await service.state().history.redo == nil)
      await #expect(throws: LedgerProblem.self) { try await service.redo() }
    }
  }

  @Test("the history goes back two hundred changes and no further, and survives the end of the service")
  func depth() async throws {
    try await withTemporaryFolder { folder in
      let service = try LedgerService(folder: folder)
      let cash = try await service.account()
      for number in 0..<History.depth { try await service.cost("-1", of: cash, note: "\(number)") }
      let reopened = try LedgerService(folder: folder)
      for number in (0..<History.depth).reversed() { #expect(try await reopened.undo() == "“\(number)” added") }
      await #expect(throws: LedgerProblem.self) { try await reopened.undo() }
      #expect(try await reopened.store.count(StepRows.all) == History.depth)
    }
  }

  @Test("a change that is based on an older state is refused")
  func conflicts() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      let id = try await service.cost("-1", of: cash, note: "First")
      let first = try #require(try await service.store.find(Cost.self, id)).content
      var second = first
      second.note = "Second"
      try await service.changeCost(id, to: second, basedOn: first)
      await #expect(throws: LedgerProblem.changedElsewhere("Another window has changed this cost.")) {
        try await service.changeCost(id, to: first, basedOn: first)
      }
      await #expect(throws: LedgerProblem.self) { try await service.renameCategory(cash, to: "x", basedOn: "y") }
    }
  }

  @Test("rules that are broken are refused, and nothing of it is kept")
  func validation() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash")
      let before = try await service.state()
      await #expect(throws: LedgerProblem.invalid(.name, "There is already an account of this name.")) {
        try await service.account(" cash ")
      }
      await #expect(throws: LedgerProblem.invalid(.name, "An account needs a name.")) { try await service.account(" ") }
      await #expect(throws: LedgerProblem.invalid(.name, "This name is Ledger's own.")) {
        try await service.createCategory(named: "INITVALUE")
      }
      await #expect(throws: LedgerProblem.invalid(.name, "There is already a category of this name.")) {
        try await service.createCategory(named: "food")
      }
      await #expect(throws: LedgerProblem.self) { try await service.cost("1", of: UUID()) }
      await #expect(throws: LedgerProblem.self) { try await service.cost("1", of: cash, category: UUID()) }
      await #expect(throws: LedgerProblem.self) {
        try await service.cost("1", of: cash, category: Category.initialValue.id)
      }
      await #expect(throws: LedgerProblem.self) {
        try await service.cost("1", of: cash, note: String(repeating: "x", count: 501))
      }
      await #expect(throws: LedgerProblem.self) {
        try await service.deleteCategory(Category.initialValue.id, confirmed: 1)
      }
      #expect(try await service.state() == before)

      try await service.cost("1", of: cash)
      let content = AccountContent(name: "Cash", currency: .eur, initialValue: 0)
      await #expect(throws: LedgerProblem.self, "its costs are in euro") {
        try await service.changeAccount(
          cash, to: AccountContent(name: "Cash", currency: .usd, initialValue: 0), basedOn: content)
      }
    }
  }

  @Test("C7: the filter and the sums by category and by day tell the same costs")
  func filters() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash", initially: 100)
      let dollars = try await service.account("Dollars", .usd)
      let food = try #require(try await service.state().categories.first { $0.name == "Food" }).id
      try await service.cost("-10", of: cash, category: food, on: "2026-01-01")
      try await service.cost("-20", of: cash, category: food, on: "2026-02-01")
      try await service.cost("5", of: cash, on: "2026-02-01")
      try await service.cost("-1", of: cash, on: "2026-03-01")
      try await service.cost("-7", of: dollars, category: food, on: "2026-02-15")

      func amounts(_ filter: CostFilter) async throws -> [String] {
        try await service.state(filter).costs.map(\.amount)
      }
      #expect(try await amounts(CostFilter(account: dollars)) == ["-7.00"])
      #expect(Set(try await amounts(CostFilter(category: .category(food)))) == ["-7.00", "-20.00", "-10.00"])
      #expect(Set(try await amounts(CostFilter(category: CostFilter.CategoryChoice.none))) == ["-1.00", "5.00"])
      #expect(
        try await amounts(CostFilter(from: Day(typed: "2026-02-15"), through: Day(typed: "2026-03-01"))) == [
          "-1.00", "-7.00",
        ])
      #expect(
        try await amounts(CostFilter(account: cash, category: .category(food), through: Day(typed: "2026-01-31"))) == [
          "-10.00"
        ])

      let euros = try #require(try await service.state().currencies.first)
      #expect([euros.income, euros.expense, euros.sum, euros.balance] == ["5.00", "-31.00", "-26.00", "74.00"])
      #expect(Set(euros.categories.map(\.sum)) == ["-30.00", "4.00"])
      #expect(euros.opening == "100.00")
      #expect(euros.balances.map(\.balance) == ["90.00", "75.00", "74.00"])
      #expect(try await service.state().currencies.map(\.currency) == [.eur, .usd])

      let february = try #require(
        try await service.state(CostFilter(from: Day(typed: "2026-02-01"), through: Day(typed: "2026-02-28")))
          .currencies.first)
      #expect(february.opening == "90.00")
      #expect(february.balances.map(\.balance) == ["75.00"])
    }
  }

  @Test("pages of costs follow each other without a gap, also after a cost that is gone and with some left out")
  func pages() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      for number in 1...250 { try await service.cost("-\(number)", of: cash, on: "2026-01-\(10 + number % 10)") }
      let expected = try await service.state().costs
      var found: [CostLine] = []
      while found.count < 250 {
        let place = found.last.map { CostPlace(date: $0.date, id: $0.id) }
        let page = try await service.costs(CostFilter(), after: place, skipping: 0)
        #expect((page.start, page.total) == (found.count, 250))
        found += page.costs
      }
      #expect(found == expected)

      let gone = CostPlace(date: expected[40].date, id: expected[40].id)
      try await service.deleteCost(gone.id)
      let page = try await service.costs(CostFilter(), after: gone, skipping: 30)
      #expect((page.start, page.total) == (70, 249))
      #expect(page.costs == Array(expected[71..<171]))
      #expect(try await service.costs(CostFilter(), after: nil, skipping: 300).costs.isEmpty)
      #expect(try await service.cost(expected[0].id) == expected[0])
      await #expect(throws: LedgerProblem.gone("This cost is not there any more.")) { try await service.cost(gone.id) }
    }
  }

  @Test("words of a note choose costs, together with the other filters")
  func text() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash")
      let bank = try await service.account("Bank")
      try await service.cost("-1", of: cash, note: "Lunch in the café")
      try await service.cost("-2", of: bank, note: "Lunch")
      try await service.cost("-4", of: cash, note: "Train")
      func amounts(_ text: String, of account: UUID? = nil) async throws -> Set<String> {
        Set(try await service.state(CostFilter(account: account, text: text)).costs.map(\.amount))
      }
      #expect(try await amounts("lun") == ["-1.00", "-2.00"])
      #expect(try await amounts("CAFE lunch") == ["-1.00"])
      #expect(try await amounts("lunch", of: bank) == ["-2.00"])
      #expect(try await amounts("dinner").isEmpty)
      let state = try await service.state(CostFilter(text: "lunch"))
      #expect(state.costCount == 2)
      #expect(state.currencies.map(\.sum) == ["-3.00"])
    }
  }

  @Test("a category or a text has no balance: its costs are added up from zero on")
  func runningSums() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash", initially: 100)
      let food = try #require(try await service.state().categories.first { $0.name == "Food" }).id
      try await service.cost("-10", of: cash, category: food, on: "2026-01-01")
      try await service.cost("-20", of: cash, category: food, on: "2026-02-01", note: "Cake")
      try await service.cost("-40", of: cash, on: "2026-03-01", note: "Cake")
      func line(_ filter: CostFilter) async throws -> [String] {
        let overview = try #require(try await service.state(filter).currencies.first)
        return ["\(overview.areBalances)", overview.opening] + overview.balances.map(\.balance)
      }
      #expect(try await line(CostFilter()) == ["true", "100.00", "90.00", "70.00", "30.00"])
      #expect(
        try await line(CostFilter(account: cash, from: Day(typed: "2026-02-01"))) == [
          "true", "90.00", "70.00", "30.00",
        ])
      #expect(try await line(CostFilter(category: .category(food))) == ["false", "0.00", "-10.00", "-30.00"])
      #expect(try await line(CostFilter(category: CostFilter.CategoryChoice.none)) == ["false", "0.00", "-40.00"])
      #expect(try await line(CostFilter(text: "cake")) == ["false", "0.00", "-20.00", "-60.00"])
    }
  }

  @Test("a line of a file is already there if a cost has the same date, amount, note, account and category")
  func knownLines() async throws {
    try await withLedger { service in
      let cash = try await service.account("Cash")
      _ = try await service.account("Bank")
      let food = try #require(try await service.state().categories.first { $0.name == "Food" }).id
      for _ in 0..<2 { try await service.cost("-1.50", of: cash, category: food, on: "2026-01-01", note: "Bread") }
      let lines = [
        "2026-01-01,Cash,Food,-1.5,Bread", "2026-01-01,cash,FOOD,\"-1,50\",Bread", "2026-01-01,Cash,Food,-1.5,Bread",
        "2026-01-02,Cash,Food,-1.5,Bread", "2026-01-01,Bank,Food,-1.5,Bread", "2026-01-01,Cash,Home,-1.5,Bread",
        "2026-01-01,Cash,Food,-1.51,Bread", "2026-01-01,Cash,Food,-1.5,bread",
      ]
      let bytes = Array(("date,account,category,amount,note\n" + lines.joined(separator: "\n")).utf8)
      let isKnown = try await service.preview(of: bytes).lines.map(\.isKnown)
      #expect(isKnown == [true, true, false, false, false, false, false, false])
      var last: ImportProgress?
      for try await progress in service.importCosts(bytes, named: "file.csv") { last = progress }
      #expect(last == ImportProgress(done: 6, total: 6, refused: 0, skipped: 2, isSaved: true))
      for try await progress in service.importCosts(bytes, named: "file.csv", includingKnown: true) { last = progress }
      #expect(last == ImportProgress(done: 8, total: 8, refused: 0, skipped: 0, isSaved: true))
      await #expect(throws: InvalidText("All costs of this file are already there.")) {
        for try await _ in service.importCosts(bytes, named: "file.csv") {}
      }
      #expect(try await service.state().costCount == 16)
    }
  }

  @Test("the overview begins with what is there and follows each change", .timeLimit(.minutes(20)))
  func live() async throws {
    try await withLedger { service in
      var overviews = service.overviews(CostFilter(), limit: 10).makeAsyncIterator()
      /// The states pass by until one is as it should be; that it never comes ends in the test's time limit.
      func follow(_ isReached: (Overview) -> Bool) async throws {
        while let overview = try await overviews.next() {
          if isReached(overview) { return }
        }
        Issue.record("the overviews ended")
      }
      try await follow { $0.accounts.isEmpty }
      let cash = try await service.account("Cash", initially: 1)
      try await follow { $0.accounts.map(\.balance) == ["1.00"] && $0.history.undo == "Account “Cash” added" }
      let lunch = try await service.cost("-3", of: cash)
      try await follow { $0.accounts.map(\.balance) == ["-2.00"] && $0.costs.map(\.amount) == ["-3.00"] }
      let old = try #require(try await service.store.find(Cost.self, lunch)).content
      var noted = old
      noted.note = "Lunch"
      try await service.changeCost(lunch, to: noted, basedOn: old)
      try await follow { $0.costs.map(\.note) == ["Lunch"] && $0.history.undo == "“Lunch” changed" }
      _ = try await service.undo()
      try await follow { $0.costs.map(\.note) == [""] && $0.history.redo == "“Lunch” changed" }
      try await service.renameCategory(#require(service.state().categories.first).id, to: "Attire", basedOn: "Clothes")
      try await follow { $0.categories.map(\.name).contains("Attire") }
    }
  }

  @Test("a change that the filter hides is followed too: undo names it", .timeLimit(.minutes(20)))
  func liveBehindAFilter() async throws {
    try await withLedger { service in
      let cash = try await service.account()
      var filter = CostFilter()
      filter.through = try Day(typed: "2000-01-01")
      var overviews = service.overviews(filter, limit: 10).makeAsyncIterator()
      _ = try await overviews.next()
      try await service.cost("0", of: cash, note: "Hidden")
      while let overview = try await overviews.next() {
        if overview.history.undo == "“Hidden” added" { break }
      }
    }
  }
}
