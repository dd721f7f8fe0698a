import Larder

@Model
struct CancelItem: Hashable {
  var id: Int
  @Attribute(.indexed) var lane: Int
  var value: Int
  var text: String = ""
  @Attribute(.unique) var code: String?
  var group: ToOne<CancelGroup>?
  @Relationship(inverse: \CancelTag.items) var tags: ToMany<CancelTag> = []
}

@Model
struct CancelGroup: Hashable {
  var id: Int
  @Attribute(.indexed) var lane: Int
  @Relationship(inverse: \CancelItem.group) var items: ToMany<CancelItem> = []
  @Derived(.sum(\CancelGroup.items, \CancelItem.value)) var total: Int = 0
}

@Model
struct CancelTag: Hashable {
  var id: Int
  var items: ToMany<CancelItem> = []
}

@Model(expires: true)
struct CancelTicket: Hashable {
  var id: Int
  @Attribute(.indexed) var lane: Int
}

@Model
struct CancelFile: Hashable {
  var id: Int
  var content: Attachment?
}

/// What one lane has in the store: its rows and documents, which no other lane writes.
struct LaneState: Sendable, Equatable {
  /// The columns of an item, and the keys of what it is linked to.
  struct Item: Sendable, Equatable {
    var value: Int
    var text: String
    var code: String?
    var group: Int?
    var tags: Set<Int> = []
  }

  var items: [Int: Item] = [:]
  var groups: Set<Int> = []
  var tickets: Set<Int> = []
  var documents: [String: Int] = [:]

  func total(of group: Int) -> Int {
    items.values.reduce(0) { $1.group == group ? $0 + $1.value : $0 }
  }

  mutating func removeGroup(_ group: Int) {
    groups.remove(group)
    for id in items.keys where items[id]?.group == group { items[id]?.group = nil }
  }
}
