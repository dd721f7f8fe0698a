import Foundation
import Larder

/// A row of the measured table.
@Model
struct Receipt: Hashable {
  var id: Int
  @Attribute(.unique) var code: String
  var customer: String
  var total: Double
  var issuedAt: Date
  var note: String?

  /// Receipts of ten years, in the order in which they were issued.
  static func samples(_ count: Int) -> [Receipt] {
    (0..<count).map { number in
      Receipt(
        id: number + 1, code: "R-\(number)", customer: "customer \(number % 997)", total: Double(number % 10_007) / 4,
        issuedAt: Date(timeIntervalSinceReferenceDate: 500_000_000 + Double(number) / Double(count) * 315_576_000),
        note: number.isMultiple(of: 3) ? "note \(number)" : nil)
    }
  }
}

/// What a selection returns for each row.
struct CustomerTotal: Equatable {
  let customer: String
  let total: Double
}

/// What a group returns.
struct MonthTotal: Equatable {
  let month: Date
  let count: Int
  let total: Double
}
