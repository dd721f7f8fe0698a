import Larder
import LarderTestSupport

/// What a context must say: the states that its steps lead through.
private struct ContextHistory {
  private(set) var states: [World]
  private(set) var position = 0
  private var saved: Int? = 0

  init(_ world: World) {
    states = [world]
  }

  var current: World { states[position] }
  var canUndo: Bool { position > 0 }
  var canRedo: Bool { position < states.count - 1 }

  mutating func push(_ world: World) {
    states.removeSubrange((position + 1)...)
    if let saved, saved > position { self.saved = nil }
    states.append(world)
    position += 1
  }

  mutating func undo() { position -= 1 }
  mutating func redo() { position += 1 }
  mutating func save() { saved = position }

  /// Goes back to what was saved last; where that cannot be reached any more, nothing can be undone.
  mutating func rollBack(to world: World) {
    if let saved {
      position = saved
      states.removeSubrange((saved + 1)...)
    } else {
      states = [world]
      position = 0
      saved = 0
    }
  }
}

extension Episode {
  /// A context at work while others change what it does not touch.
  func session(_ random: inout SplitMix64) throws {
    note("context", "context:")
    let context = Context(store(&random))
    var history = ContextHistory(world)
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<6: try step(in: context, &history, &random)
      case 6, 7:
        let expected = history.canUndo
        noteStep(" undo,")
        try expect(context.undo() == expected, "undo() says \(!expected)")
        if expected { history.undo() }
      case 8:
        let expected = history.canRedo
        noteStep(" redo,")
        try expect(context.redo() == expected, "redo() says \(!expected)")
        if expected { history.redo() }
      case 9: try child(of: context, &history, &random)
      case 10: try save(context, &history)
      case 11:
        noteStep(" rollback,")
        context.rollback()
        history.rollBack(to: world)
      case 12:
        var source = ChangeSource(random: SplitMix64(seed: random.next()), world: world, now: time.now)
        let change = source.otherChange()
        var after = world
        if (try? after.apply(change, now: time.now)) != nil {
          noteStep(" beside it \(change),")
          _ = try change.apply(to: stores[0].blocking)
          world = after
        }
      default: break
      }
      try verify(context, history.current, &random)
    }
    if Bool.random(using: &random) { try save(context, &history) }
    try expect(context.refusals.isEmpty, "the context refused \(context.refusals)")
  }

  private func step(in context: Context, _ history: inout ContextHistory, _ random: inout SplitMix64) throws {
    var source = ChangeSource(random: SplitMix64(seed: random.next()), world: history.current, now: time.now)
    let change = source.libraryChange()
    var after = history.current
    let before = after
    do {
      let expected = try after.apply(change, now: time.now)
      // Whether a step that changes nothing can be undone is not said, and what refers to nothing is found when it is
      // saved.
      guard after != before, !after.isDangling else { return }
      noteStep(" \(change),")
      let value =
        Int.random(in: 0..<3, using: &random) == 0
        ? try context.step { try change.apply(to: context) } : try change.apply(to: context)
      if case .sql = change {
      } else {
        try expect(value == expected || !change.isCounted, "\(change) in a context: \(value) instead of \(expected)")
      }
      history.push(after)
    } catch let refusal as World.Refusal {
      noteStep(" \(change) (refused),")
      do {
        _ = try change.apply(to: context)
        try expect(false, "\(change) in a context was not refused")
      } catch let error as StoreError {
        try expect(error.code == refusal.code, "\(change) in a context: \(error) instead of \(refusal.code)")
      }
    }
  }

  private func child(of context: Context, _ history: inout ContextHistory, _ random: inout SplitMix64) throws {
    note("", " child [")
    let child = context.child()
    var inner = ContextHistory(history.current)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if inner.canUndo, Int.random(in: 0..<4, using: &random) == 0 {
        noteStep(" undo,")
        try expect(child.undo(), "a child cannot undo its step")
        inner.undo()
      } else {
        try step(in: child, &inner, &random)
      }
      try verify(child, inner.current, &random)
    }
    if inner.current != history.current, Bool.random(using: &random) {
      noteStep(" save")
      try child.save()
      history.push(inner.current)
    }
    note("", " ],")
  }

  private func save(_ context: Context, _ history: inout ContextHistory) throws {
    noteStep(" save,")
    try context.save()
    history.save()
    world.take(from: history.current)
  }

  private func verify(_ context: Context, _ state: World, _ random: inout SplitMix64) throws {
    var expected = world
    expected.take(from: state)
    if Bool.random(using: &random) {
      let log = outcome.log
      defer { restore(log) }
      return try check(context, expected, &random)
    }
    let seen = try World(reading: context, version)
    let readable = expected.readable(version)
    try expect(seen == readable, "in a context: \(readable.difference(to: seen))")
  }

  // MARK: Conflicts

  /// A row that a context and somebody else change, under each policy.
  func conflict(_ random: inout SplitMix64) throws {
    let policy = MergePolicy.allCases.randomElement(using: &random) ?? .error
    guard let base = world.agencies.keys.sorted().randomElement(using: &random).flatMap({ world.agencies[$0] }) else {
      return
    }
    let isReferred = world.authors.values.contains { $0.agency?.id == base.id }
    let mine = changed(base, canDelete: !isReferred, &random)
    let theirs = changed(base, canDelete: !isReferred, &random)
    note(
      "conflict",
      "conflict \(policy): \(base), mine \(mine.map { "\($0)" } ?? "deleted"), theirs \(theirs.map { "\($0)" } ?? "deleted")"
    )
    let context = Context(store(&random), mergePolicy: policy)
    let other = store(&random).blocking
    try expect(try context.find(LibraryAgency.self, base.id) == base, "a context does not read what is stored")
    let isFirst = Bool.random(using: &random)
    if isFirst { try write(theirs, base.id, other) }
    if let mine { context.update(mine) } else { context.delete(base) }
    if !isFirst { try write(theirs, base.id, other) }
    // Deleting what is not there any more changes nothing, and so does an update of it.
    if isFirst, theirs == nil {
      context.rollback()
      world.agencies[base.id] = nil
      return
    }
    let merged = merge(base, mine, theirs, policy)
    do {
      try context.save()
      try expect(merged != nil, "a conflict was not reported")
      world.agencies[base.id] = merged ?? nil
    } catch let error as StoreError {
      try expect(merged == nil && error.code == .conflict, "\(error) was not expected")
      world.agencies[base.id] = theirs
    }
    let (seen, expected) = (try other.find(LibraryAgency.self, base.id), world.agencies[base.id])
    try expect(
      seen == expected, "after the conflict: \(String(describing: seen)) instead of \(String(describing: expected))")
  }

  private func changed(_ base: LibraryAgency, canDelete: Bool, _ random: inout SplitMix64) -> LibraryAgency? {
    var row = base
    switch Int.random(in: 0..<(canDelete ? 4 : 3), using: &random) {
    case 0: row.name += "!"
    case 1: row.city += "?"
    case 2:
      row.name = Library.words.randomElement(using: &random) ?? ""
      row.city = "x"
    default: return nil
    }
    return row
  }

  private func write(_ row: LibraryAgency?, _ id: Int, _ db: BlockingStore) throws {
    if let row { try db.save(row) } else { try db.delete(LibraryAgency.self, id) }
  }

  /// What is stored after a save: nil where it is refused, a nil inside where the row is deleted.
  private func merge(
    _ base: LibraryAgency, _ mine: LibraryAgency?, _ theirs: LibraryAgency?, _ policy: MergePolicy
  ) -> LibraryAgency?? {
    if theirs == base { return .some(mine) }
    if mine == base || mine == theirs { return .some(theirs) }
    switch policy {
    case .error: return nil
    case .overwrite: return .some(mine)
    case .rollback: return .some(theirs)
    case .preferStore:
      guard let mine, var theirs else { return .some(theirs) }
      if theirs.name == base.name { theirs.name = mine.name }
      if theirs.city == base.city { theirs.city = mine.city }
      return .some(theirs)
    case .preferContext:
      guard var mine, let theirs else { return .some(mine) }
      if mine.name == base.name { mine.name = theirs.name }
      if mine.city == base.city { mine.city = theirs.city }
      return .some(mine)
    }
  }
}

extension Change {
  /// Whether the verb's number is the same in a context.
  fileprivate var isCounted: Bool {
    switch self {
    case .updateAll, .deleteAll: false
    default: true
    }
  }
}

extension World {
  /// Takes the tables over that contexts change.
  fileprivate mutating func take(from other: World) {
    shelves = other.shelves
    books = other.books
    authors = other.authors
    agencies = other.agencies
    labels = other.labels
    links = other.links
  }
}
