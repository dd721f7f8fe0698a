import ExampleWeb
import Foundation
import Larder

/// What costs are for.
@Model
struct Category: Codable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  /// Whether only the app itself uses it.
  var isHidden: Bool = false
  @Relationship(deleteRule: .nullify, inverse: \Cost.category) var costs: ToMany<Cost> = []
  @Derived(.count(\Category.costs)) var costCount: Int = 0
}

extension Category {
  /// The hidden category of the costs that are accounts' initial values.
  static let initialValue = Category(
    id: UUID(uuid: (0x4C, 0x65, 0x64, 0x67, 0x65, 0x72, 0x40, 0, 0x80, 0, 0x69, 0x6E, 0x69, 0x74, 0x56, 0x6C)),
    name: "initValue", isHidden: true)

  /// The categories of a new ledger.
  static let defaults = ["Clothes", "Food", "Health", "Home", "Income", "Leisure", "Transport", "Travel"]

  /// Larder calls this before every insert and update, but not for the rows that a sync file brings.
  func validate() throws {
    if name.isBlank { throw LedgerProblem.invalid(.name, "A category needs a name.") }
    if name.containsNUL { throw LedgerProblem.invalid(.name, "A name can't contain the character NUL: remove it.") }
    if name.count > Self.maximumLength {
      throw LedgerProblem.invalid(.name, "A name has at most \(Self.maximumLength) characters.")
    }
  }

  static let maximumLength = 60
}
