import Larder

/// Models whose references have all delete rules, among them rows of one table, cycles of tables, and two rules between
/// the same two rows.
///
/// A reference that is nil is as if it were not declared: random rows are random schemas too.
protocol Linked: Model where ID == Int {
  /// The rule and the table of each reference.
  static var links: [Link] { get }
  var id: Int { get set }
  var targets: [Int?] { get set }
  init(id: Int)
  /// The rows with the keys.
  static func rows(_ ids: [Int]) -> Query<Self>
}

struct Link: Sendable {
  let rule: DeleteRule
  let table: Int
}

/// Every rule in every direction.
enum Tangle {
  @Model("TangleA") struct First: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .deny) var b: ToOne<Second>?
    @Relationship(deleteRule: .nullify) var c: ToOne<Third>?
    @Relationship(deleteRule: .noAction) var d: ToOne<First>?
    @Relationship(deleteRule: .cascade) var e: ToOne<Third>?
  }

  @Model("TangleB") struct Second: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .deny) var b: ToOne<Second>?
    @Relationship(deleteRule: .nullify) var c: ToOne<Second>?
    @Relationship(deleteRule: .deny) var d: ToOne<Third>?
    @Relationship(deleteRule: .noAction) var e: ToOne<Third>?
  }

  @Model("TangleC") struct Third: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<Second>?
    @Relationship(deleteRule: .cascade) var b: ToOne<First>?
    @Relationship(deleteRule: .deny) var c: ToOne<First>?
    @Relationship(deleteRule: .nullify) var d: ToOne<Third>?
    @Relationship(deleteRule: .nullify) var e: ToOne<First>?
  }
}

/// One row takes two along, and the one denies that the other goes; the names are in either order.
enum Fork {
  @Model("ForkB") struct First: Hashable {
    var id: Int
    @Relationship(deleteRule: .deny) var a: ToOne<First>?
  }

  @Model("ForkA") struct Second: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .deny) var b: ToOne<Third>?
  }

  @Model("ForkC") struct Third: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
  }
}

enum Knife {
  @Model("KnifeB") struct First: Hashable { var id: Int }

  @Model("KnifeC") struct Second: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .deny) var b: ToOne<Third>?
  }

  @Model("KnifeA") struct Third: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .nullify) var b: ToOne<Second>?
  }
}

/// No rule that could meet another one: SQLite's own order decides nothing.
enum Apart {
  @Model("ApartA") struct First: Hashable { var id: Int }

  @Model("ApartB") struct Second: Hashable {
    var id: Int
    @Relationship(deleteRule: .cascade) var a: ToOne<First>?
    @Relationship(deleteRule: .cascade) var b: ToOne<Second>?
  }

  @Model("ApartC") struct Third: Hashable {
    var id: Int
    @Relationship(deleteRule: .deny) var a: ToOne<Second>?
    @Relationship(deleteRule: .noAction) var b: ToOne<First>?
    @Relationship(deleteRule: .nullify) var c: ToOne<Second>?
  }
}

private func reference<Target: Model>(_ id: Int?) -> ToOne<Target>? where Target.ID == Int { id.map { ToOne($0) } }

extension Tangle.First: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] {
    [
      Link(rule: .cascade, table: 0), Link(rule: .deny, table: 1), Link(rule: .nullify, table: 2),
      Link(rule: .noAction, table: 0),
      Link(rule: .cascade, table: 2),
    ]
  }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id, c?.id, d?.id, e?.id] }
    set {
      (a, b, c, d, e) = (
        reference(newValue[0]), reference(newValue[1]), reference(newValue[2]), reference(newValue[3]),
        reference(newValue[4])
      )
    }
  }
}

extension Tangle.Second: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] {
    [
      Link(rule: .cascade, table: 0), Link(rule: .deny, table: 1), Link(rule: .nullify, table: 1),
      Link(rule: .deny, table: 2),
      Link(rule: .noAction, table: 2),
    ]
  }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id, c?.id, d?.id, e?.id] }
    set {
      (a, b, c, d, e) = (
        reference(newValue[0]), reference(newValue[1]), reference(newValue[2]), reference(newValue[3]),
        reference(newValue[4])
      )
    }
  }
}

extension Tangle.Third: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] {
    [
      Link(rule: .cascade, table: 1), Link(rule: .cascade, table: 0), Link(rule: .deny, table: 0),
      Link(rule: .nullify, table: 2),
      Link(rule: .nullify, table: 0),
    ]
  }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id, c?.id, d?.id, e?.id] }
    set {
      (a, b, c, d, e) = (
        reference(newValue[0]), reference(newValue[1]), reference(newValue[2]), reference(newValue[3]),
        reference(newValue[4])
      )
    }
  }
}

extension Fork.First: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .deny, table: 0)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id] }
    set { a = reference(newValue[0]) }
  }
}

extension Fork.Second: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .cascade, table: 0), Link(rule: .deny, table: 2)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id] }
    set { (a, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension Fork.Third: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .cascade, table: 0)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id] }
    set { a = reference(newValue[0]) }
  }
}

extension Knife.First: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [] }
  var targets: [Int?] {
    get { [] }
    set { _ = newValue }
  }
}

extension Knife.Second: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .cascade, table: 0), Link(rule: .deny, table: 2)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id] }
    set { (a, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension Knife.Third: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .cascade, table: 0), Link(rule: .nullify, table: 1)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id] }
    set { (a, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension Apart.First: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [] }
  var targets: [Int?] {
    get { [] }
    set { _ = newValue }
  }
}

extension Apart.Second: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] { [Link(rule: .cascade, table: 0), Link(rule: .cascade, table: 1)] }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id] }
    set { (a, b) = (reference(newValue[0]), reference(newValue[1])) }
  }
}

extension Apart.Third: Linked {
  static func rows(_ ids: [Int]) -> Query<Self> { Self.where { $0.id.isIn(ids) } }
  static var links: [Link] {
    [Link(rule: .deny, table: 1), Link(rule: .noAction, table: 0), Link(rule: .nullify, table: 1)]
  }
  init(id: Int) { self.init(id: id, a: nil) }
  var targets: [Int?] {
    get { [a?.id, b?.id, c?.id] }
    set { (a, b, c) = (reference(newValue[0]), reference(newValue[1]), reference(newValue[2])) }
  }
}
