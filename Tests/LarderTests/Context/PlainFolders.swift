import Foundation
import Larder

/// The rows of the mirrored models in plain Swift, and what each change does with them.
struct PlainFolders {
  /// A text as the file tells it from others.
  struct Text: Hashable, Comparable, CustomStringConvertible {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
    static func < (left: Text, right: Text) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    var description: String { "\(bytes)" }
  }

  struct Folder: Equatable {
    var name: Text
    var code: Text?
    var level: Int
    var weight: Decimal
    var tags: Set<Text>
    var parent: Int?
  }

  struct Link: Hashable {
    let folder: Int
    let mark: Text
  }

  struct Pin: Equatable {
    var folder: Int?
    var owner: Int?
  }

  /// Why a change is refused. There may be several reasons; which of them is named is nobody's promise.
  struct Refusal: Error {
    var codes: Set<StoreError.Code>
  }

  private(set) var folders: [Int: Folder] = [:]
  /// The children of each row, in their order.
  private(set) var children: [Int: [Int]] = [:]
  private(set) var marks: [Text: Text] = [:]
  private(set) var links: Set<Link> = []
  private(set) var pins: [Int: Pin] = [:]

  /// Does the change whole or, if it is refused, not at all.
  mutating func perform(_ change: MirroredChange) throws -> Int {
    var next = self
    let count = try next.change(change)
    self = next
    return count
  }

  private mutating func change(_ change: MirroredChange) throws -> Int {
    switch change {
    case .save(let folder, let parent): try write([folder], parent: folders[parent] == nil ? nil : parent)
    case .insert(let first, let second):
      guard folders[first.id] == nil, folders[second.id] == nil, first.id != second.id else {
        throw Refusal(codes: [.duplicate, .invalidValue])
      }
      try write([first, second], parent: nil)
    case .saveAsRead: break
    case .delete(let id): return try delete([id])
    case .deleteBoth(let id, let other): return try delete([id, other])
    case .deleteBelowZero: return try delete(Set(folders.keys.filter { parent(of: $0).map { $0.level < 0 } ?? false }))
    case .addParentLevels:
      return try update { plain, id, folder in
        guard let parent = plain.parent(of: id), parent.level >= 0 else { return false }
        folder.level += parent.level
        return true
      }
    case .changeWeights:
      return try update { plain, id, folder in
        guard plain.children[id, default: []].contains(where: { (plain.folders[$0]?.level ?? 0) > 0 }) else {
          return false
        }
        folder.weight = folder.weight / 2 + plain.below(id)
        return true
      }
    case .takeSums:
      return try update { plain, id, folder in
        folder.level = plain.levels(id)
        return true
      }
    case .move(let id, let target):
      guard folders[target] != nil, let former = folders[id] else { return 0 }
      folders[id]?.parent = target
      place(id, former: former.parent, isNew: false)
      try check()
      return 1
    case .exchangeCodes(let id, let other):
      guard let one = folders[id], let two = folders[other], id != other else { return 0 }
      folders[id]?.code = two.code
      folders[other]?.code = one.code
    case .saveMark(let id, let text): marks[Text(id)] = Text(text)
    case .deleteMark(let id):
      links = links.filter { $0.mark != Text(id) }
      return marks.removeValue(forKey: Text(id)) == nil ? 0 : 1
    case .link(let id, let mark):
      if folders[id] != nil, marks[Text(mark)] != nil { links.insert(Link(folder: id, mark: Text(mark))) }
    case .unlink(let id, let mark): links.remove(Link(folder: id, mark: Text(mark)))
    case .savePin(let id, let folder, let owner):
      let isThere = folders[id] != nil && folders[owner] != nil
      pins[id] = Pin(folder: isThere ? folder : nil, owner: isThere ? owner : nil)
    }
    return 0
  }

  // MARK: Derived values

  private func parent(of id: Int) -> Folder? { folders[id]?.parent.flatMap { folders[$0] } }

  func below(_ id: Int) -> Decimal { children[id, default: []].compactMap { folders[$0]?.weight }.reduce(0, +) }

  func levels(_ id: Int) -> Int { children[id, default: []].compactMap { folders[$0]?.level }.reduce(0, +) }

  /// Throws if a number does not fit its property, or if two rows have the same code.
  private func check() throws {
    var codes: Set<StoreError.Code> = []
    let range = Int(Int8.min)...Int(Int8.max)
    if folders.values.contains(where: { !range.contains($0.level) }) { codes.insert(.invalidValue) }
    if folders.keys.contains(where: { !range.contains(levels($0)) }) { codes.insert(.invalidValue) }
    let texts = folders.values.compactMap(\.code)
    if Set(texts).count < texts.count { codes.insert(.duplicate) }
    if !codes.isEmpty { throw Refusal(codes: codes) }
  }

  // MARK: Changes

  private mutating func write(_ rows: [Mirrored.Folder], parent: Int?) throws {
    for row in rows {
      let former = folders[row.id]
      folders[row.id] = Folder(
        name: Text(row.name), code: row.code.map { Text($0) }, level: Int(row.level), weight: row.weight,
        tags: Set(row.tags.map { Text($0) }), parent: parent)
      place(row.id, former: former?.parent, isNew: former == nil)
    }
    try check()
  }

  /// Puts a row whose parent is another one now behind its siblings.
  private mutating func place(_ id: Int, former: Int?, isNew: Bool) {
    let parent = folders[id]?.parent
    guard isNew || parent != former else { return }
    if let former { children[former]?.removeAll { $0 == id } }
    if let parent { children[parent, default: []].append(id) }
  }

  /// Changes rows as they were before the change.
  private mutating func update(_ body: (PlainFolders, Int, inout Folder) -> Bool) throws -> Int {
    var next = folders
    var count = 0
    for (id, var folder) in folders where body(self, id, &folder) {
      next[id] = folder
      count += 1
    }
    folders = next
    try check()
    return count
  }

  /// Deletes rows and what goes with them.
  private mutating func delete(_ ids: Set<Int>) throws -> Int {
    let named = ids.intersection(folders.keys)
    var gone = named
    while true {
      let more = folders.keys.filter { id in !gone.contains(id) && folders[id]?.parent.map(gone.contains) ?? false }
      if more.isEmpty { break }
      gone.formUnion(more)
    }
    for (id, pin) in pins where pin.owner.map(gone.contains) ?? false { pins[id] = nil }
    let isDenied = pins.values.contains { $0.folder.map(gone.contains) ?? false }
    for id in gone {
      if let parent = folders[id]?.parent { children[parent]?.removeAll { $0 == id } }
    }
    for id in gone { (folders[id], children[id]) = (nil, nil) }
    links = links.filter { !gone.contains($0.folder) }
    var refusal = Refusal(codes: isDenied ? [.referenced] : [])
    do { try check() } catch let error as Refusal { refusal.codes.formUnion(error.codes) }
    if !refusal.codes.isEmpty { throw refusal }
    return named.count
  }
}

extension PlainFolders {
  /// All rows with their derived values, texts by their bytes.
  var dump: String {
    let rows = folders.sorted { $0.key < $1.key }.map { id, row in
      """
      \(id) \(row.name) \(Self.text(row.code)) \(row.level) \(row.weight) \(row.tags.sorted()) \(row.parent ?? 0) \
      \(children[id] ?? []) \(links.filter { $0.folder == id }.map(\.mark).sorted()) \(below(id)) \(levels(id))
      """
    }
    let marks = marks.sorted { $0.key < $1.key }.map { id, text in
      "\(id) \(text) \(links.count { $0.mark == id })"
    }
    let pins = pins.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.folder ?? 0) \($0.value.owner ?? 0)" }
    return (rows + ["-"] + marks + ["-"] + pins).joined(separator: "\n")
  }

  /// The same of what a store or a context shows.
  static func dump(_ db: some StoreReader) throws -> String {
    let folders = try db.fetch(Mirrored.Folder.all.sorted(by: \.id).including(\.children).including(\.marks)).map {
      row in
      """
      \(row.id) \(Text(row.name)) \(text(row.code.map { Text($0) })) \(row.level) \(row.weight) \
      \(row.tags.map { Text($0) }.sorted()) \(row.parent?.id ?? 0) \(row.children.map(\.id)) \
      \(row.marks.map { Text($0.id) }.sorted()) \(row.below) \(row.levels)
      """
    }
    let marks = try db.fetch(Mirrored.Mark.all.sorted(by: \.id)).map { "\(Text($0.id)) \(Text($0.text)) \($0.uses)" }
    let pins = try db.fetch(Mirrored.Pin.all.sorted(by: \.id)).map {
      "\($0.id) \($0.folder?.id ?? 0) \($0.owner?.id ?? 0)"
    }
    return (folders + ["-"] + marks + ["-"] + pins).joined(separator: "\n")
  }

  private static func text(_ code: Text?) -> String { code?.description ?? "nil" }
}
