import Larder

/// Computes which rows are visible after some rows have changed, and looks only at rows that the change can affect.
///
/// The rule is a function of the state alone, the same on every replica:
///
/// 1. Candidates are the rows that are there, and deleted rows to which a candidate refers by `.deny`.
/// 2. Of those, the greatest set in which every required reference, and every one with the cascade rule, leads into the
///    set, and which a row that is there keeps each deleted one in: it refers to it by `.deny`, or to another deleted
///    one of the set that does.
/// 3. Of rows with the same unique value, as it would be shown, the one that was inserted first.
/// 4. The greatest set once more, because the others take along what has to refer to them.
///
/// Other references that lead outside show nil. Numbers that come from a model with another type have the form of the table.
///
/// The region begins with the changed rows. Rows that aren't visible and are connected with the region by a reference
/// or a unique value belong to it from the beginning. Visible rows join when the outcome of a row changes that they
/// refer to. Everything outside the region is visible or doesn't matter.
final class VisibilityRegion {
  /// A row of the region.
  struct Member {
    /// The row as it is in the file; nil if it is new.
    let old: StoredRow?
    /// The new state.
    let state: RowState
    var status: RowStatus
    var hidden: Set<String> = []

    /// Whether the row is visible although it was deleted.
    var isWanted: Bool { status == .visible && !state.isThere }
    /// Whether the row was gone, with another one or because nobody wanted it, and is visible again.
    var isReturning: Bool {
      status == .visible && old?.status == .cascaded || isWanted && old?.status != .visible
    }
  }

  let file: ReplicaFile
  private(set) var members: [RowKey: Member] = [:]
  /// Rows of the region whose connections are still to be followed.
  private var pending: [RowKey] = []
  /// The rows whose visible referrers have joined.
  private var announced: Set<RowKey> = []
  /// Rows outside the region, and whether they are visible.
  private var outside: [RowKey: Bool] = [:]

  init(_ file: ReplicaFile) {
    self.file = file
  }

  // MARK: Members

  /// Adds a row whose state has changed.
  func touch(_ state: RowState, old: StoredRow?) {
    insert(state.rowKey, Member(old: old, state: state, status: old?.status ?? .deleted))
  }

  /// Adds a row whose state is as it was.
  func join(_ row: StoredRow) {
    guard members[row.rowKey] == nil, file.table(row.state.table) != nil, row.status != .expired else { return }
    insert(row.rowKey, Member(old: row, state: row.state, status: row.status, hidden: row.hidden))
  }

  private func insert(_ rowKey: RowKey, _ member: Member) {
    members[rowKey] = member
    pending.append(rowKey)
  }

  private func join(_ rowKey: RowKey) throws {
    guard members[rowKey] == nil, let row = try file.row(rowKey) else { return }
    join(row)
  }

  // MARK: Computing

  /// Computes the status of every member.
  func solve() throws {
    repeat {
      while let rowKey = pending.popLast() { try follow(rowKey) }
      try decide()
      for (rowKey, member) in members {
        let before = member.old?.status ?? .deleted
        let isAnnounced =
          (member.status == .visible) != (before == .visible)
          // A reference to a duplicate counts when unique values are compared.
          || member.status.isConsistent != before.isConsistent
        if isAnnounced, announced.insert(rowKey).inserted {
          try joinReferrers(of: rowKey, isLeaving: before == .visible && member.status != .visible)
        }
      }
    } while !pending.isEmpty
    try markCascades()
  }

  /// Adds the visible rows that refer to a row whose outcome has changed.
  ///
  /// Those that must refer to a row that leaves will leave as well, as a rule, and so will those that must refer to
  /// them: they join at once, because each round decides about the whole region, and a chain has as many rounds as rows.
  private func joinReferrers(of rowKey: RowKey, isLeaving: Bool) throws {
    var leaving = [rowKey]
    while let rowKey = leaving.popLast() {
      for referrer in try file.visibleReferrers(of: rowKey) {
        try join(referrer)
        guard isLeaving, mustRefer(referrer, to: rowKey), announced.insert(referrer).inserted else { continue }
        leaving.append(referrer)
      }
    }
  }

  private func mustRefer(_ referrer: RowKey, to rowKey: RowKey) -> Bool {
    guard let state = members[referrer]?.state, let table = file.table(referrer.table) else { return false }
    return table.description.references.contains { reference in
      reference.isEssential && file.target(of: reference, in: state, table) == rowKey
    }
  }

  /// Adds the rows that are connected with a new member.
  private func follow(_ rowKey: RowKey) throws {
    guard let member = members[rowKey], let table = file.table(rowKey.table) else { return }
    for state in [member.old?.state, member.state].compactMap({ $0 }) {
      for reference in table.description.references {
        guard let target = file.target(of: reference, in: state, table), members[target] == nil,
          let found = try file.status(target)
        else { continue }
        let isResurrected = found.status == .visible && !found.isThere
        let canReturn = found.status == .deleted && reference.rule == .deny
        if found.status.isSetAside || isResurrected || canReturn { try join(target) }
      }
    }
    for referrer in try file.setAsideReferrers(of: rowKey) { join(referrer) }
    try joinRivals(of: member)
  }

  /// Adds the rows with the same values, whether they show them or not.
  private func joinRivals(of member: Member) throws {
    guard let table = file.table(member.state.table) else { return }
    for rule in table.description.uniqueRules {
      for state in [member.old?.state, member.state].compactMap({ $0 }) {
        guard let values = file.values(of: rule, in: state, hidden: [], table) else { continue }
        for rival in try file.rivals(of: state.rowKey, rule, values, table) { try join(rival) }
      }
    }
  }

  private func decide() throws {
    let candidates = try self.candidates()
    let consistent = try kept(candidates)
    let losers = try self.losers(among: consistent)
    let visible = try kept(consistent.subtracting(losers))
    let unneeded = try self.unneeded(among: candidates, visible)
    for (rowKey, member) in members {
      var member = member
      if visible.contains(rowKey) {
        member.status = .visible
      } else if unneeded.contains(rowKey) {
        member.status = .cascaded
      } else if losers.contains(rowKey) {
        member.status = .duplicate
      } else if consistent.contains(rowKey) {
        member.status = .refersToDuplicate
      } else {
        member.status = candidates.contains(rowKey) ? .lacksReference : .deleted
      }
      member.hidden = member.status == .visible ? try hidden(member.state, in: visible) : []
      members[rowKey] = member
    }
  }

  /// Marks the rows that lack a reference because someone who knew all of their writes has deleted what they refer to:
  /// they are no loss.
  private func markCascades() throws {
    let (ends, followers) = try lackingChains()
    for (end, deletion) in ends {
      var (pending, seen) = ([end], Set([end]))
      while let rowKey = pending.popLast() {
        for follower in followers[rowKey] ?? [] where seen.insert(follower).inserted {
          pending.append(follower)
          guard let member = members[follower], member.status == .lacksReference else { continue }
          let writes = [member.state.insertion] + member.state.writes
          let isKnown = try deletion.map { deletion in try writes.allSatisfy { try file.knew(deletion, $0) } } ?? true
          if isKnown { members[follower]?.status = .cascaded }
        }
      }
    }
  }

  /// Returns the deleted rows to which rows lead that lack a reference, with the stamps of their deletions, nil if they have
  /// expired; and for each row those that must refer to it. Chains of references have no limit.
  private func lackingChains() throws -> (ends: [RowKey: Stamp?], followers: [RowKey: [RowKey]]) {
    var (ends, followers): ([RowKey: Stamp?], [RowKey: [RowKey]]) = ([:], [:])
    var pending = members.filter { $0.value.status == .lacksReference }.map(\.value.state)
    var seen = Set(pending.map(\.rowKey))
    while let state = pending.popLast() {
      guard let table = file.table(state.table), file.isComplete(state, table) else { continue }
      for reference in table.description.references where reference.isEssential {
        guard let target = file.target(of: reference, in: state, table) else { continue }
        let row = members[target] == nil ? try file.row(target) : nil
        guard let found = members[target]?.state ?? row?.state, let status = members[target]?.status ?? row?.status
        else {
          continue
        }
        // Whoever merged it wanted to keep what refers to it.
        if found.isMerged, status != .visible, reference.rule != .deny { continue }
        switch status {
        // It would be there for this row, so what it lacks itself counts.
        case .deleted where reference.rule == .deny, .cascaded where reference.rule == .deny:
          if seen.insert(target).inserted { pending.append(found) }
        case .deleted: ends.updateValue(found.stamp, forKey: target)
        case .cascaded where !found.isThere: ends.updateValue(found.stamp, forKey: target)
        case .expired: ends.updateValue(nil, forKey: target)
        case .lacksReference, .cascaded: if seen.insert(target).inserted { pending.append(found) }
        default: continue
        }
        followers[target, default: []].append(state.rowKey)
      }
    }
    return (ends, followers)
  }

  /// The rows that are there, and those to which they refer by `.deny`.
  private func candidates() throws -> Set<RowKey> {
    var candidates = Set(members.filter { $0.value.state.isThere }.keys)
    for rowKey in members.keys where !candidates.contains(rowKey) {
      if try file.visibleDenyReferrers(of: rowKey).contains(where: { members[$0] == nil }) { candidates.insert(rowKey) }
    }
    var pending = Array(candidates)
    while let rowKey = pending.popLast() {
      guard let member = members[rowKey], let table = file.table(rowKey.table) else { continue }
      for reference in table.description.references where reference.rule == .deny {
        guard let target = file.target(of: reference, in: member.state, table), members[target] != nil else { continue }
        if candidates.insert(target).inserted { pending.append(target) }
      }
    }
    return candidates
  }

  /// Returns the greatest subset in which every essential reference leads to a visible row, and every deleted row is needed.
  private func kept(_ set: Set<RowKey>) throws -> Set<RowKey> {
    var set = try greatest(set)
    while true {
      let unneeded = try self.unneeded(among: set, set)
      if unneeded.isEmpty { return set }
      set = try greatest(set.subtracting(unneeded))
    }
  }

  /// Returns the deleted rows to which no row that is there and visible refers by `.deny`, neither itself nor through other
  /// deleted ones that are visible.
  private func unneeded(among set: Set<RowKey>, _ visible: Set<RowKey>) throws -> Set<RowKey> {
    var unneeded = set.filter { members[$0]?.state.isThere == false }
    if unneeded.isEmpty { return [] }
    var pending: [RowKey] = []
    func keep(_ rowKey: RowKey) {
      if unneeded.remove(rowKey) != nil, visible.contains(rowKey) { pending.append(rowKey) }
    }
    for rowKey in unneeded {
      if try file.visibleDenyReferrers(of: rowKey).contains(where: { members[$0] == nil }) { keep(rowKey) }
    }
    pending += visible.filter { members[$0]?.state.isThere == true }
    while let rowKey = pending.popLast() {
      guard let member = members[rowKey], let table = file.table(rowKey.table) else { continue }
      for reference in table.description.references where reference.rule == .deny {
        if let target = file.target(of: reference, in: member.state, table) { keep(target) }
      }
    }
    return unneeded
  }

  /// Returns the greatest subset in which every essential reference leads to a row of the set, or to a visible row
  /// outside the region.
  private func greatest(_ set: Set<RowKey>) throws -> Set<RowKey> {
    var set = set
    var referrers: [RowKey: [RowKey]] = [:]
    var lacking: [RowKey] = []
    for rowKey in set {
      guard let member = members[rowKey], let table = file.table(rowKey.table) else { continue }
      var lacks = !file.isComplete(member.state, table)
      for reference in table.description.references where reference.isEssential {
        guard let target = file.target(of: reference, in: member.state, table) else {
          if !reference.isOptional { lacks = true }
          continue
        }
        referrers[target, default: []].append(rowKey)
        if try !isIn(target, set) { lacks = true }
      }
      if lacks { lacking.append(rowKey) }
    }
    while let rowKey = lacking.popLast() {
      guard set.remove(rowKey) != nil else { continue }
      lacking += referrers[rowKey] ?? []
    }
    return set
  }

  private func isIn(_ rowKey: RowKey, _ set: Set<RowKey>) throws -> Bool {
    if members[rowKey] != nil { return set.contains(rowKey) }
    if let known = outside[rowKey] { return known }
    let isVisible = try file.status(rowKey)?.status == .visible
    outside[rowKey] = isVisible
    return isVisible
  }

  /// The properties whose reference leads outside the set, or whose value has another form in the table.
  private func hidden(_ state: RowState, in set: Set<RowKey>) throws -> Set<String> {
    guard let table = file.table(state.table) else { return [] }
    var hidden: Set<String> = []
    for property in table.properties {
      guard let reference = property.reference else {
        if file.isConverted(property, in: state) { hidden.insert(property.name) }
        continue
      }
      guard !reference.isEssential, let target = file.target(of: reference, in: state, table) else { continue }
      if try !isIn(target, set) { hidden.insert(property.name) }
    }
    return hidden
  }

  /// A unique value, as it would be shown, in its canonical form.
  private struct Claim: Hashable {
    let table: ExactName
    let rule: Int
    let values: [ReplicatedValue]
  }

  /// The rows with a unique value that an earlier row of the set has.
  private func losers(among set: Set<RowKey>) throws -> Set<RowKey> {
    var claims: [Claim: [RowKey]] = [:]
    for rowKey in set {
      guard let member = members[rowKey], let table = file.table(rowKey.table) else { continue }
      if table.description.uniqueRules.isEmpty { continue }
      let hidden = try hidden(member.state, in: set)
      for (number, rule) in table.description.uniqueRules.enumerated() {
        guard let values = file.values(of: rule, in: member.state, hidden: hidden, table) else { continue }
        let claim = Claim(
          table: ExactName(rowKey.table), rule: number, values: file.canonical(values, of: rule, table))
        claims[claim, default: []].append(rowKey)
      }
    }
    var losers: Set<RowKey> = []
    for rivals in claims.values where rivals.count > 1 {
      let first = rivals.min { left, right in isEarlier(left, right) }
      losers.formUnion(rivals.filter { $0 != first })
    }
    return losers
  }

  private func isEarlier(_ left: RowKey, _ right: RowKey) -> Bool {
    guard let first = members[left]?.state.insertion, let second = members[right]?.state.insertion else { return false }
    return first == second ? left < right : first < second
  }
}

extension ModuleTable.Reference {
  /// Whether a row isn't visible without the row that it refers to: because it must refer to one, or because it goes
  /// with that one.
  var isEssential: Bool { !isOptional || rule == .cascade }
}
