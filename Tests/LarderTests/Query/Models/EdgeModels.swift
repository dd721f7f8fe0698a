import Foundation
import Larder

@Model("Excluded")
struct EdgeExcluded: Codable, Hashable {
  var id: Int
  @Attribute(.unique) var code: String
  var name: String = ""
}

@Model
struct EdgeBadge: Codable, Hashable {
  enum Mood: String, Codable { case glad, sad }

  var id: Int
  @Attribute(.unique) var number: Int
  var mood: Mood = .glad
  var level: Double = 0
}

@Model
struct EdgeScale: Codable, Hashable {
  var id: Int
  @Attribute(.unique) var number: Int
  var level: Double = 0
}

@Model
struct EdgeOrder: Codable, Hashable {
  var id: Int
  var factor: Int = 0
  @Relationship(inverse: \EdgeLine.order) var lines: ToMany<EdgeLine> = []
}

@Model
struct EdgeLine: Codable, Hashable {
  var id: Int
  var price: Decimal
  var quantity: Decimal
  var order: ToOne<EdgeOrder>
  @Relationship(inverse: \EdgePart.line) var parts: ToMany<EdgePart> = []
}

@Model
struct EdgePart: Codable, Hashable {
  var id: Int
  var weight: Int
  var line: ToOne<EdgeLine>
}

/// Its key is a reference: at most one for each order.
@Model
struct EdgeReceipt: Codable, Hashable {
  @Attribute(.primaryKey) var order: ToOne<EdgeOrder>
  var text: String = ""
}

@Model
struct EdgeEntry: Codable, Hashable {
  @Attribute(.primaryKey) var order: ToOne<EdgeOrder>
  @Attribute(.primaryKey) var number: Int
  var text: String = ""
}

@Model("edge.the \"plans\"")
struct EdgePlan: Codable, Hashable {
  var id: Int
  @Relationship(inverse: \EdgeStep.plan, ordered: true) var steps: ToMany<EdgeStep> = []
  @Relationship(inverse: \EdgeTag.plans, ordered: true) var tags: ToMany<EdgeTag> = []
  @Derived(.max(\EdgePlan.steps, \EdgeStep.name)) var last: String?
}

@Model
struct EdgeStep: Codable, Hashable {
  var id: Int
  var name: String
  var plan: ToOne<EdgePlan>
}

@Model
struct EdgeTag: Codable, Hashable {
  var id: String
  var note: String = ""
  var plans: ToMany<EdgePlan> = []
}

@Model
struct EdgeSlot: Codable, Hashable {
  enum Place: Int, Codable { case left = 1, right = 2 }

  var id: Place
  var note: String = ""
}

@Model
struct EdgeSmall: Codable, Hashable {
  var id: Int8
}

@Model
struct EdgePerson: Codable, Hashable {
  var id: Int
  var name: String
  @Relationship(inverse: \EdgeTask.owner) var owned: ToMany<EdgeTask> = []
  @Relationship(inverse: \EdgeTask.reviewer) var reviewed: ToMany<EdgeTask> = []
  @Relationship(inverse: \EdgePerson.fans) var idols: ToMany<EdgePerson> = []
  var fans: ToMany<EdgePerson> = []
}

@Model
struct EdgeTask: Codable, Hashable {
  var id: Int
  var owner: ToOne<EdgePerson>?
  var reviewer: ToOne<EdgePerson>?
}

@Model
struct EdgeEgg: Codable, Hashable {
  var id: Int
  var hen: ToOne<EdgeHen>
}

@Model
struct EdgeHen: Codable, Hashable {
  var id: Int
  var egg: ToOne<EdgeEgg>
}

@Model
struct EdgeAmount: Codable, Hashable {
  var id: Int
  var amount: Decimal
}

/// A model whose own coding refuses what it doesn't know.
@Model
struct EdgeStrict: Codable, Hashable {
  struct Unknown: Error {}

  var id: Int
  var kind: String

  enum CodingKeys: CodingKey { case id, kind }

  init(id: Int, kind: String) { (self.id, self.kind) = (id, kind) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    kind = try container.decode(String.self, forKey: .kind)
    if kind != "a" { throw Unknown() }
  }
}

@Model
struct EdgeDay: Codable, Hashable {
  var id: Int
  var at: Date?
  var name: String?
  @Attribute(.iso8601) var noted: Date = Date(timeIntervalSinceReferenceDate: 0)
  var order: ToOne<EdgeOrder>?
}
