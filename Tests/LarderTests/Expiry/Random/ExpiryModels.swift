import Larder

/// A row that expires, with each kind of property and of relationship.
@Model(expires: true)
struct ExpiryPermit: Hashable {
  var id: Int
  @Attribute(.unique) var code: String?
  @Attribute(.searchable) var text: String = ""
  var level: Int = 0
  var tags: Set<String> = []
  var gate: ToOne<ExpiryGate>?
  @Relationship(deleteRule: .cascade) var parent: ToOne<ExpiryPermit>?
  @Relationship(inverse: \ExpiryTicket.permit) var tickets: ToMany<ExpiryTicket> = []
  @Relationship(inverse: \ExpiryStamp.permit) var stamps: ToMany<ExpiryStamp> = []
  @Derived(.count(\ExpiryPermit.stamps)) var stampCount: Int = 0
  @Derived(.sum(\ExpiryPermit.stamps, \ExpiryStamp.weight)) var weight: Int = 0
}

/// A row that expires and refers to another that does: it goes with one, and only forgets the other.
@Model(expires: true)
struct ExpiryTicket: Hashable {
  var id: Int
  var seat: Int = 0
  @Relationship(deleteRule: .cascade) var permit: ToOne<ExpiryPermit>?
  var spare: ToOne<ExpiryPermit>?
}

@Model
struct ExpiryGate: Hashable {
  var id: Int
  var name: String = ""
  @Relationship(inverse: \ExpiryPermit.gate) var permits: ToMany<ExpiryPermit> = []
  @Relationship(inverse: \ExpiryStamp.gate) var stamps: ToMany<ExpiryStamp> = []
  @Derived(.count(\ExpiryGate.stamps)) var stampCount: Int = 0
}

/// A row that stays, and goes with the rows that it refers to.
@Model
struct ExpiryStamp: Hashable {
  var id: Int
  var weight: Int = 1
  @Relationship(deleteRule: .cascade) var gate: ToOne<ExpiryGate>?
  @Relationship(deleteRule: .cascade) var permit: ToOne<ExpiryPermit>?
}

/// A row that keeps the one that it refers to.
@Model
struct ExpirySeal: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var permit: ToOne<ExpiryPermit>?
}
