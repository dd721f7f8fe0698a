import Foundation
import Larder
import LarderRandom

@Model
struct GrowingAccount {
  var id: Int
  var name: String
  @Relationship(inverse: \GrowingPayment.account) var payments: ToMany<GrowingPayment> = []
  @Derived(.sum(\GrowingAccount.payments, \GrowingPayment.amount)) var balance: Int = 0

  /// The payments of each account, whatever the number of accounts.
  static let paymentCount = 100
}

@Model
struct GrowingPayment {
  var id: Int
  var amount: Int
  /// There are as many payments of each category, whatever their number.
  var category: Int
  @Attribute(.indexed) var day: Date
  var note: String?
  @Relationship(deleteRule: .cascade) var account: ToOne<GrowingAccount>

  static let categorySize = 1000

  static var indexes: [Index<Self>] { [Index(\.category, \.day)] }

  /// A payment whose neighbors by day and by category lie anywhere in the table.
  static func random(_ id: Int, of count: Int, using generator: inout SplitMix64) -> GrowingPayment {
    GrowingPayment(
      id: id, amount: Int.random(in: 1...10_000, using: &generator),
      category: Int.random(in: 0..<max(1, count / categorySize), using: &generator),
      day: Date(timeIntervalSinceReferenceDate: Double.random(in: 0..<700_000_000, using: &generator)),
      note: "Payment number \(id)",
      account: ToOne(Int.random(in: 0..<max(1, count / GrowingAccount.paymentCount), using: &generator)))
  }
}

@Model
struct GrowingTask {
  var id: Int
  var title: String
  var isDone = false
}

@Model
struct GrowingLetter {
  var id: Int
  @Attribute(.searchable) var text: String

  /// The letters with the word that is searched for, whatever the number of letters.
  static let hits = 20
  static let word = "needle"

  static func random(_ id: Int, of count: Int, using generator: inout SplitMix64) -> GrowingLetter {
    var words = (0..<10).map { _ in "word\(Int.random(in: 0..<50_000, using: &generator))" }
    if id.isMultiple(of: max(1, count / hits)) { words[3] = word }
    return GrowingLetter(id: id, text: words.joined(separator: " "))
  }
}

struct GrowingPerson: Codable, Sendable {
  var name: String
  var age: Int
  var city: String
}
