import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct Folder: Hashable {
  var id: Int
  var name: String = ""
  @Attribute(.unique) var code: String?
  var level: Int8 = 0
  var weight: Decimal = 0
  var tags: Set<String> = []
  @Relationship(deleteRule: .cascade) var parent: ToOne<Folder>?
  @Relationship(inverse: \Folder.parent, ordered: true) var children: ToMany<Folder> = []
  @Relationship(inverse: \Mark.folders) var marks: ToMany<Mark> = []
  @Derived(.sum(\Folder.children, \Folder.weight)) var below: Decimal = 0
  @Derived(.sum(\Folder.children, \Folder.level)) var levels: Int8 = 0
}

/// Its keys are texts that Swift takes for the same and the file does not.
@Model
private struct Mark: Hashable {
  var id: String
  var text: String = ""
  var folders: ToMany<Folder> = []
  @Derived(.count(\Mark.folders)) var uses: Int = 0
}

@Model
private struct Pin: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var folder: ToOne<Folder>?
  @Relationship(deleteRule: .cascade) var owner: ToOne<Folder>?
}

/// The same changes in a store and, not saved yet, in a context over another one: both show the same, refuse the same,
/// and are saved as they are.
@Suite("Context: what a store does, a context does", .timeLimit(.minutes(10)))
struct ContextMirrorTests {
  private static let texts = ["é", "e\u{301}", "a", "b"]

  private static func folder(_ random: inout SplitMix64) -> Folder {
    var folder = Folder(
      id: Int.random(in: 1...8, using: &random), name: random.pick(texts), level: random.pick([-100, -1, 0, 1, 2, 100]))
    folder.code = random.once(in: 2) ? nil : random.pick(["x", "y", "é", "e\u{301}"])
    folder.weight = Decimal(Int.random(in: -9...9, using: &random)) / 3
    folder.tags = Set(texts.filter { _ in random.once(in: 2) })
    return folder
  }

  /// Returns a number that tells what was done.
  private static func change(_ db: some StoreWriter, _ random: inout SplitMix64) throws -> Int {
    let (id, other, text) = (
      Int.random(in: 1...8, using: &random), Int.random(in: 1...8, using: &random), random.pick(texts)
    )
    switch Int.random(in: 0..<18, using: &random) {
    case 0, 1:
      var folder = folder(&random)
      folder.parent = try db.find(Folder.self, other) == nil ? nil : ToOne(other)
      try db.save(folder)
    case 2: try db.insert([folder(&random), folder(&random)])
    case 3: return try db.delete(Folder.self, id) ? 1 : 0
    case 4:
      return try db.updateAll(Folder.where { $0.parent.level >= 0 }) {
        $0.level.set { $0.parent.level.or(0) + $0.level }
      }
    case 5:
      return try db.updateAll(Folder.where { $0.children.contains { $0.level > 0 } }) {
        $0.weight.set { $0.weight / 3 + $0.below }
      }
    case 6: return try db.updateAll(Folder.all) { $0.level.set { $0.levels } }
    case 7:
      guard try db.find(Folder.self, other) != nil else { return 0 }
      return try db.updateAll(Folder.where { $0.id == id }) { $0.parent.set(ToOne(other)) }
    case 8: try db.save(Mark(id: text, text: random.pick(texts)))
    case 9: return try db.delete(Mark.self, text) ? 1 : 0
    case 10:
      if let row = try db.find(Folder.self, id), let mark = try db.find(Mark.self, text) {
        try db.link(row, \.marks, mark)
      }
    case 11:
      if let row = try db.find(Folder.self, id), let mark = try db.find(Mark.self, text) {
        try db.unlink(row, \.marks, mark)
      }
    case 12, 13:
      let isThere = try db.find(Folder.self, id) != nil && db.find(Folder.self, other) != nil
      try db.save(
        Pin(id: id, folder: isThere && random.once(in: 2) ? ToOne(id) : nil, owner: isThere ? ToOne(other) : nil))
    case 14: return try db.deleteAll(Folder.where { $0.parent.level < 0 })
    case 15: return try db.deleteAll(Folder.where { $0.id.isIn([id, other]) })
    case 16:
      // A row that was read is saved as it is: its place among its siblings stays.
      if let row = try db.find(Folder.self, id) { try db.save(row) }
    default:
      // Two rows exchange a unique value.
      guard var one = try db.find(Folder.self, id), var two = try db.find(Folder.self, other), id != other else {
        return 0
      }
      let codes = (one.code, two.code)
      (one.code, two.code) = (nil, codes.0)
      try db.update(one)
      try db.update(two)
      one.code = codes.1
      try db.update(one)
    }
    return 0
  }

  /// All that a reader shows, texts by their bytes.
  private static func dump(_ db: some StoreReader) throws -> String {
    func bytes(_ text: String?) -> String { text.map { "\(Array($0.utf8))" } ?? "nil" }
    let folders = try db.fetch(Folder.all.sorted(by: \.id).including(\.children).including(\.marks)).map { row in
      """
      \(row.id) \(bytes(row.name)) \(bytes(row.code)) \(row.level) \(row.weight) \(row.tags.map { bytes($0) }.sorted()) \(row.parent?.id ?? 0) \
      \(row.children.map(\.id)) \(row.marks.map { bytes($0.id) }.sorted()) \(row.below) \(row.levels)
      """
    }
    let marks = try db.fetch(Mark.all.sorted(by: \.id)).map { "\(bytes($0.id)) \(bytes($0.text)) \($0.uses)" }
    let pins = try db.fetch(Pin.all.sorted(by: \.id)).map { "\($0.id) \($0.folder?.id ?? 0) \($0.owner?.id ?? 0)" }
    return (folders + ["-"] + marks + ["-"] + pins).joined(separator: "\n")
  }

  private static func outcome(_ db: some StoreWriter, _ seed: UInt64) -> String {
    var random = SplitMix64(seed: seed)
    do {
      return "\(try change(db, &random))"
    } catch let error as StoreError {
      return "\(error.code)"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "random changes do the same in a store, in a context and in its child, before they are saved and afterwards",
    arguments: 0..<24)
  func mirror(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed)
    let (plain, mirrored) = (
      try Store(inMemoryFor: Folder.self, Mark.self, Pin.self), try Store(inMemoryFor: Folder.self, Mark.self, Pin.self)
    )
    let context = Context(mirrored)
    let child = context.child()
    let isChild = number.isMultiple(of: 3)
    var log: [UInt64] = []
    for round in 0..<60 {
      let change = generator.next()
      log.append(change)
      let place = "seed \(seed), round \(round), change \(change)"
      let expected = Self.outcome(plain.blocking, change)
      let found = isChild ? Self.outcome(child, change) : Self.outcome(context, change)
      if expected == "invalidValue", found != expected {
        // The triggers of the file look at a sum after each row of a statement, and a context when all rows have
        // changed: every row can be read.
        _ = try isChild ? Self.dump(child) : Self.dump(context)
        try #require(isChild ? child.undo() : context.undo(), "\(place)")
        continue
      }
      try #require(found == expected, "\(place)")
      let state = try Self.dump(plain.blocking)
      let shown = try isChild ? Self.dump(child) : Self.dump(context)
      try #require(shown == state, "\(place)")
      guard generator.once(in: 5) else { continue }
      if isChild { try child.save() }
      try context.save()
      try #require(try Self.dump(mirrored.blocking) == state, "\(place), saved")
      guard generator.once(in: 3) else { continue }
      // What was saved is taken back and done again.
      let undone = (0..<3).count { _ in isChild ? child.undo() : context.undo() }
      if isChild { try child.save() }
      try context.save()
      for _ in 0..<undone { _ = isChild ? child.redo() : context.redo() }
      if isChild { try child.save() }
      try context.save()
      try #require(try Self.dump(mirrored.blocking) == state, "\(place), undone and done again")
    }
    TestSeed.tried(60, "operations in stores, contexts and children")
    #expect(try mirrored.blocking.verifyDerived() == [] && plain.blocking.verifyDerived() == [])
  }
}
