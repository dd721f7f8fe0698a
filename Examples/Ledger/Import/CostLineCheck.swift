import Foundation
import Larder

/// Makes a cost of each line of a file, or says everything that is wrong with it.
struct CostLineCheck {
  struct Refusal: Error {
    let reasons: [String]
  }

  let header: CostFileHeader
  private let accounts: [String: Account]
  private var categories: [String: Category]
  private(set) var newCategories: [Category] = []

  init(header: CostFileHeader, accounts: [Account], categories: [Category]) {
    self.header = header
    self.accounts = Dictionary(accounts.map { ($0.name.lowercased(), $0) }) { first, _ in first }
    self.categories = Dictionary(categories.map { ($0.name.lowercased(), $0) }) { first, _ in first }
  }

  mutating func callAsFunction(_ record: CSVRecord) -> Result<CostFile.Line, Refusal> {
    if let problem = record.problem { return .failure(Refusal(reasons: [Self.message(problem)])) }
    guard record.fields.count == header.count else {
      return .failure(Refusal(reasons: ["It has \(record.fields.count) fields; the first line has \(header.count)."]))
    }
    var reasons: [String] = []
    func valid<Value>(_ value: () throws -> Value) -> Value? {
      do { return try value() } catch {
        reasons.append((error as? InvalidText)?.message ?? "\(error)")
        return nil
      }
    }
    func field(_ position: Int?) -> String? {
      position.map { FormulaGuard.unguarded(record.fields[$0]) }
    }
    let date = valid { try Day(typed: record.fields[header.date]) }
    let account = valid { try self.account(field(header.account) ?? "") }
    valid { try self.requireCurrency(field(header.currency) ?? "", of: account) }
    let amount = valid { try Decimal(typed: record.fields[header.amount]) }
    let note = valid { try self.note(field(header.note) ?? "") }
    let name = valid { try self.categoryName(field(header.category) ?? "") }
    guard let date, let account, let amount, let note, let name, reasons.isEmpty else {
      return .failure(Refusal(reasons: reasons))
    }
    let category = category(named: name)
    let cost = Cost(
      amount: amount, date: date, note: note, account: ToOne(account.id), category: category.map { ToOne($0.id) })
    return .success(CostFile.Line(number: record.line, cost: cost, categoryName: category?.name ?? ""))
  }

  private func account(_ name: String) throws -> Account {
    let name = name.trimmingWhitespace
    guard !name.isEmpty else { throw InvalidText("An account is missing.") }
    guard let account = accounts[name.lowercased()] else { throw InvalidText("There is no account “\(name.excerpt)”.") }
    return account
  }

  private func requireCurrency(_ text: String, of account: Account?) throws {
    let text = text.trimmingWhitespace
    guard !text.isEmpty else { return }
    guard let currency = Currency(rawValue: text.uppercased()) else {
      throw InvalidText("“\(text.excerpt)” is not a currency that Ledger knows: \(Currency.list).")
    }
    if let account, account.currency != currency {
      throw InvalidText(
        "The account “\(account.name)” is kept in \(account.currency.rawValue), not in \(currency.rawValue).")
    }
  }

  private func note(_ text: String) throws -> String {
    guard text.count <= Cost.maximumNoteLength else {
      throw InvalidText("The note has more than \(Cost.maximumNoteLength) characters.")
    }
    return text
  }

  private func categoryName(_ text: String) throws -> String {
    let name = text.trimmingWhitespace
    guard name.count <= Category.maximumLength else {
      throw InvalidText("The category's name has more than \(Category.maximumLength) characters.")
    }
    if name.lowercased() == Category.initialValue.name.lowercased() {
      throw InvalidText("The category “\(name)” is Ledger's own: set the account's initial value instead.")
    }
    return name
  }

  private mutating func category(named name: String) -> Category? {
    guard !name.isEmpty else { return nil }
    if let category = categories[name.lowercased()] { return category }
    let category = Category(name: name)
    categories[name.lowercased()] = category
    newCategories.append(category)
    return category
  }

  private static func message(_ problem: CSVRecord.Problem) -> String {
    switch problem {
    case .openQuote: "A quoted field has no closing quote."
    case .textAfterQuote: "There is text after the closing quote of a field; write a quote within a field twice."
    }
  }
}
