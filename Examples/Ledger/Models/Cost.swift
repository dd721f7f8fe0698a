import ExampleWeb
import Foundation
import Larder

/// Money that goes out of an account, an amount below zero, or comes into it.
@Model
struct Cost: Codable {
  var id: UUID = .v7()
  var amount: Decimal
  @Attribute(.indexed) var date: Day
  @Attribute(.searchable) var note: String = ""
  var account: ToOne<Account>
  var category: ToOne<Category>?
}

extension Cost {
  /// Larder calls this before every insert and update, but not for the rows that a sync file brings.
  func validate() throws {
    if note.containsNUL { throw LedgerProblem.invalid(.note, "A note can't contain the character NUL: remove it.") }
    if note.count > Self.maximumNoteLength {
      throw LedgerProblem.invalid(.note, "A note has at most \(Self.maximumNoteLength) characters.")
    }
  }

  static let maximumNoteLength = 500

  init(_ content: CostContent) {
    self.init(
      amount: content.amount, date: content.date, note: content.note, account: ToOne(content.account),
      category: content.category.map { ToOne($0) })
  }

  var content: CostContent {
    get { CostContent(amount: amount, date: date, note: note, account: account.id, category: category?.id) }
    set {
      amount = newValue.amount
      date = newValue.date
      note = newValue.note
      account = ToOne(newValue.account)
      category = newValue.category.map { ToOne($0) }
    }
  }
}

/// What a person says of a cost.
struct CostContent: Hashable, Sendable {
  var amount: Decimal
  var date: Day
  var note: String
  var account: Account.ID
  var category: Category.ID?
}
