import Foundation
import Larder
import LarderTestSupport

/// Models with what can meet in one change: a tree, an order, sums, delete rules, unique values and pairs.
enum Mirrored {
  @Model
  struct Folder: Hashable {
    var id: Int
    var name: String = ""
    @Attribute(.unique) var code: String?
    var level: Int8 = 0
    var weight: Decimal = 0
    var tags: Set<String> = []
    @Relationship(deleteRule: .cascade) var parent: ToOne<Mirrored.Folder>?
    @Relationship(inverse: \Mirrored.Folder.parent, ordered: true) var children: ToMany<Mirrored.Folder> = []
    @Relationship(inverse: \Mirrored.Mark.folders) var marks: ToMany<Mirrored.Mark> = []
    @Derived(.sum(\Mirrored.Folder.children, \Mirrored.Folder.weight)) var below: Decimal = 0
    @Derived(.sum(\Mirrored.Folder.children, \Mirrored.Folder.level)) var levels: Int8 = 0
  }

  /// Its keys are texts that Swift takes for the same and the file does not.
  @Model
  struct Mark: Hashable {
    var id: String
    var text: String = ""
    var folders: ToMany<Mirrored.Folder> = []
    @Derived(.count(\Mirrored.Mark.folders)) var uses: Int = 0
  }

  @Model
  struct Pin: Hashable {
    var id: Int
    @Relationship(deleteRule: .deny) var folder: ToOne<Mirrored.Folder>?
    @Relationship(deleteRule: .cascade) var owner: ToOne<Mirrored.Folder>?
  }
}

/// One change, which a store, a context and plain Swift can do.
enum MirroredChange {
  /// The parent is that row, if it is there.
  case save(Mirrored.Folder, parent: Int)
  case insert(Mirrored.Folder, Mirrored.Folder)
  /// A row that was read is saved as it is.
  case saveAsRead(Int)
  case delete(Int)
  case deleteBoth(Int, Int)
  /// Deletes the rows whose parent has a level below 0.
  case deleteBelowZero
  /// Adds the level of the parent to each row's own, where the parent's is not below 0.
  case addParentLevels
  /// Changes the weights of all rows that have a child with a level above 0.
  case changeWeights
  /// Makes the sum of the children's levels each row's own.
  case takeSums
  case move(Int, to: Int)
  case exchangeCodes(Int, Int)
  case saveMark(String, text: String)
  case deleteMark(String)
  case link(Int, String)
  case unlink(Int, String)
  case savePin(Int, folder: Int?, owner: Int)

  static let texts = ["é", "e\u{301}", "a", "b"]

  init(_ random: inout SplitMix64) {
    let (id, other) = (Int.random(in: 1...8, using: &random), Int.random(in: 1...8, using: &random))
    let (text, otherText) = (random.pick(Self.texts), random.pick(Self.texts))
    switch Int.random(in: 0..<19, using: &random) {
    case 0, 1, 2: self = .save(Self.folder(&random), parent: other)
    case 3: self = .insert(Self.folder(&random), Self.folder(&random))
    case 4: self = .delete(id)
    case 5: self = .addParentLevels
    case 6: self = .changeWeights
    case 7: self = .takeSums
    case 8: self = .move(id, to: other)
    case 9: self = .saveMark(text, text: otherText)
    case 10: self = .deleteMark(text)
    case 11, 12: self = .link(id, text)
    case 13: self = .unlink(id, text)
    case 14: self = .savePin(id, folder: random.once(in: 2) ? id : nil, owner: other)
    case 15: self = .deleteBelowZero
    case 16: self = .deleteBoth(id, other)
    case 17: self = .saveAsRead(id)
    default: self = .exchangeCodes(id, other)
    }
  }

  private static func folder(_ random: inout SplitMix64) -> Mirrored.Folder {
    var folder = Mirrored.Folder(
      id: Int.random(in: 1...8, using: &random), name: random.pick(texts), level: random.pick([-100, -1, 0, 1, 2, 100]))
    folder.code = random.once(in: 2) ? nil : random.pick(["x", "y", "é", "e\u{301}"])
    folder.weight = Decimal(Int.random(in: -99...99, using: &random)) / 4
    folder.tags = Set(texts.filter { _ in random.once(in: 2) })
    return folder
  }

  /// Does the change, and returns how many rows it concerned where a call says so.
  func perform(_ db: some StoreWriter) throws -> Int {
    typealias Folder = Mirrored.Folder
    typealias Mark = Mirrored.Mark
    switch self {
    case .save(var folder, let parent):
      folder.parent = try db.find(Folder.self, parent) == nil ? nil : ToOne(parent)
      try db.save(folder)
    case .insert(let first, let second): try db.insert([first, second])
    case .saveAsRead(let id):
      if let row = try db.find(Folder.self, id) { try db.save(row) }
    case .delete(let id): return try db.delete(Folder.self, id) ? 1 : 0
    case .deleteBoth(let id, let other): return try db.deleteAll(Folder.where { $0.id.isIn([id, other]) })
    case .deleteBelowZero: return try db.deleteAll(Folder.where { $0.parent.level < 0 })
    case .addParentLevels:
      return try db.updateAll(Folder.where { $0.parent.level >= 0 }) {
        $0.level.set { $0.parent.level.or(0) + $0.level }
      }
    case .changeWeights:
      return try db.updateAll(Folder.where { $0.children.contains { $0.level > 0 } }) {
        $0.weight.set { $0.weight / 2 + $0.below }
      }
    case .takeSums: return try db.updateAll(Folder.all) { $0.level.set { $0.levels } }
    case .move(let id, let target):
      guard try db.find(Folder.self, target) != nil else { return 0 }
      return try db.updateAll(Folder.where { $0.id == id }) { $0.parent.set(ToOne(target)) }
    case .exchangeCodes(let id, let other):
      guard var one = try db.find(Folder.self, id), var two = try db.find(Folder.self, other), id != other else {
        return 0
      }
      let codes = (one.code, two.code)
      (one.code, two.code) = (nil, codes.0)
      try db.update(one)
      try db.update(two)
      one.code = codes.1
      try db.update(one)
    case .saveMark(let id, let text): try db.save(Mark(id: id, text: text))
    case .deleteMark(let id): return try db.delete(Mark.self, id) ? 1 : 0
    case .link(let id, let mark):
      if let row = try db.find(Folder.self, id), let mark = try db.find(Mark.self, mark) {
        try db.link(row, \.marks, mark)
      }
    case .unlink(let id, let mark):
      if let row = try db.find(Folder.self, id), let mark = try db.find(Mark.self, mark) {
        try db.unlink(row, \.marks, mark)
      }
    case .savePin(let id, let folder, let owner):
      let isThere = try db.find(Folder.self, id) != nil && db.find(Folder.self, owner) != nil
      try db.save(
        Mirrored.Pin(id: id, folder: isThere ? folder.map { ToOne($0) } : nil, owner: isThere ? ToOne(owner) : nil))
    }
    return 0
  }
}
