import Larder

/// Which field of a line means what, as the first line of a file tells.
struct CostFileHeader: Equatable, Sendable {
  let count: Int
  let date: Int
  let account: Int
  let amount: Int
  let category: Int?
  let currency: Int?
  let note: Int?

  /// The names of the columns of an exported file.
  static let exported = ["date", "account", "currency", "category", "amount", "note"]

  /// The first line of an exported file.
  static var line: String {
    var line = CSVWriter()
    line.write(exported.map { .value($0) })
    return line.text
  }

  /// The fields of a cost whose account and category are loaded, in the order of those columns.
  static func fields(of cost: Cost) -> [CSVWriter.Field] {
    [
      .value(cost.date.rawValue), .text(cost.account.name), .value(cost.account.currency.rawValue),
      .text(cost.category?.name ?? ""),
      .value(cost.amount.amountText), .text(cost.note),
    ]
  }

  /// Throws `InvalidText` if a column is missing or there twice.
  init(_ names: [String]) throws {
    let names = names.map { $0.lowercased().trimmingWhitespace }
    func position(_ accepted: String...) throws -> Int? {
      let positions = names.indices.filter { accepted.contains(names[$0]) }
      guard positions.count < 2 else { throw InvalidText("The first line names the column “\(accepted[0])” twice.") }
      return positions.first
    }
    func required(_ position: Int?, _ name: String) throws -> Int {
      guard let position else {
        throw InvalidText(
          "The first line has to name the columns; “\(name)” is missing. Ledger reads \(Self.exported.joined(separator: ", "))."
        )
      }
      return position
    }
    count = names.count
    date = try required(position("date", "day"), "date")
    account = try required(position("account"), "account")
    amount = try required(position("amount", "value"), "amount")
    category = try position("category")
    currency = try position("currency")
    note = try position("note", "description", "text", "memo")
  }
}

extension String {
  var trimmingWhitespace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
