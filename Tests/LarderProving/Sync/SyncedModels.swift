import Foundation
import Larder
import LarderTestSupport

/// Accounts with costs: each delete rule, unique values, a tree, pairs and derived values once.
@Model
struct SyncedAccount {
  var id: UUID
  var name: String
  var limit: Double?
  @Relationship(deleteRule: .cascade, inverse: \SyncedCost.account) var costs: ToMany<SyncedCost> = []
  @Derived(.sum(\SyncedAccount.costs, \SyncedCost.amount)) var balance: Int = 0
}

@Model
struct SyncedCost {
  var id: UUID
  var amount: Int
  var note: String?
  var receipt: Data?
  var account: ToOne<SyncedAccount>
  var category: ToOne<SyncedCategory>?
  @Relationship(deleteRule: .deny) var kind: ToOne<SyncedKind>?
  @Relationship(inverse: \SyncedTag.costs) var tags: ToMany<SyncedTag> = []
}

/// A tree, whose children go with their parent.
@Model
struct SyncedCategory {
  var id: UUID
  @Attribute(.searchable) var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<SyncedCategory>?
}

@Model
struct SyncedKind {
  var id: String
  @Attribute(.unique) var title: String
}

@Model
struct SyncedTag {
  var id: UUID
  @Attribute(.unique) var name: String
  var costs: ToMany<SyncedCost> = []
}

/// A place that at most one account has, on one shelf.
@Model
struct SyncedSlot {
  var shelf: String
  @Attribute(.unique) var account: ToOne<SyncedAccount>?
  var number: Int
  @Attribute(.primaryKey) var row: String
  @Attribute(.primaryKey) var column: Int

  static var indexes: [Index<Self>] { [Index(\.shelf, \.number, unique: true)] }
}

/// A sheet of an account, which has one of each title.
@Model
struct SyncedSheet {
  var id: String
  var title: String
  @Relationship(deleteRule: .cascade) var account: ToOne<SyncedAccount>
  @Relationship(deleteRule: .deny) var kind: ToOne<SyncedKind>?

  static var indexes: [Index<Self>] { [Index(\.account, \.title, unique: true)] }
}

enum SyncedMood: String, Codable, CaseIterable {
  case calm, glad, cross
}

/// A page that everybody counts.
@Model
struct SyncedPage {
  var id: String
  var title: String = ""
  var mood = SyncedMood.calm
  @Attribute(.counter) var views = 0
  @Attribute(.counter) var stars: Int8 = 0
}

/// A picture, and more of them in nested JSON.
@Model
struct SyncedPicture {
  var id: String
  @Attribute(.unique) var name: String
  var image: Attachment?
  var details: [Attachment] = []
}

/// A list whose entries and guests have an order.
@Model
struct SyncedList {
  var id: String
  @Relationship(deleteRule: .cascade, inverse: \SyncedEntry.list, ordered: true) var entries: ToMany<SyncedEntry> = []
  @Relationship(inverse: \SyncedGuest.lists, ordered: true) var guests: ToMany<SyncedGuest> = []
}

@Model(expires: true)
struct SyncedEntry {
  var id: String
  var text: String
  var list: ToOne<SyncedList>
}

@Model
struct SyncedGuest {
  var id: String
  var lists: ToMany<SyncedList> = []
}

/// What stays on its device, though it refers to what doesn't.
@Model(syncs: false)
struct SyncedWindow {
  var id: Int
  var width: Int
  var list: ToOne<SyncedList>?
}
