import Larder
import LarderSync

/// Everything that replicas write, remembered outside of them: each value, and what its writer had before his eyes.
///
/// A value may be gone in the end only if someone who saw it has written another, or it is listed as lost.
struct WrittenValues {
  struct Write: Hashable {
    let row: RowName
    let property: String
    let stamp: Stamp
  }

  private var values: [Write: ReplicatedValue] = [:]
  /// The writes that somebody had before his eyes when he wrote to the same property, or deleted the row.
  private var overwritten: Set<Write> = []
  /// The same write under the stamp that another identity of its file gives it.
  private var successors: [Write: Write] = [:]

  private static func writes(_ state: RowState) -> [Write: ReplicatedValue] {
    var writes: [Write: ReplicatedValue] = [:]
    for property in state.properties where property.name != RowState.mergedInto {
      writes[Write(row: state.name, property: property.name, stamp: property.stamp)] = property.value
    }
    return writes
  }

  /// Remembers what one call has changed in a row.
  mutating func record(_ state: RowState, over old: RowState?) {
    let known = old.map(Self.writes) ?? [:]
    for (write, value) in Self.writes(state) where known[write] == nil {
      values[write] = value
      overwrite(known.filter { $0.key.property == write.property })
    }
    if let old, old.causalLength != state.causalLength { overwrite(known) }
  }

  /// Remembers that somebody had values before his eyes. Some were written by nobody: they are the defaults of new properties.
  private mutating func overwrite(_ writes: [Write: ReplicatedValue]) {
    overwritten.formUnion(writes.keys)
    values.merge(writes) { known, _ in known }
  }

  /// Remembers what was changed in a row while nobody followed it: what is no longer there was overwritten by someone who saw
  /// it.
  mutating func record(_ state: RowState, replacing old: RowState) {
    record(state, over: old)
    let present = Dictionary(state.properties.map { ($0.name, $0.value) }) { $1 }
    overwrite(Self.writes(old).filter { present[$0.key.property] != $0.value })
  }

  /// Remembers that a row went with another one, which was deleted by someone who saw it.
  mutating func recordCascade(_ state: RowState) { overwrite(Self.writes(state)) }

  /// Remembers that a file has stamped a row anew, or lost it.
  ///
  /// - Parameter isElsewhere: Whether another replica has a write.
  mutating func rename(_ old: RowState, _ new: RowState?, isElsewhere: (Write) -> Bool) {
    let found = new.map(Self.writes) ?? [:]
    for (write, value) in Self.writes(old) where found[write] == nil {
      if let successor = found.first(where: { $0.key.property == write.property && $0.value == value })?.key {
        successors[write] = successor
        values[successor] = value
      } else if !isElsewhere(write) {
        // It was lost with what the file knew, as its owner wanted.
        overwritten.insert(write)
      }
    }
    for loss in old.losses {
      guard let property = loss.property else { continue }
      let write = Write(row: old.name, property: property, stamp: loss.stamp)
      if !Self.has(new, write), !isElsewhere(write) { overwritten.insert(write) }
    }
  }

  static func has(_ state: RowState?, _ write: Write) -> Bool {
    guard let state else { return false }
    return state.properties.contains { $0.name == write.property && $0.stamp == write.stamp }
      || state.losses.contains { $0.property == write.property && $0.stamp == write.stamp }
  }

  /// Whether somebody has overwritten all values of a row, seeing them.
  func isKnown(_ state: RowState) -> Bool { Self.writes(state).keys.allSatisfy(overwritten.contains) }

  /// Returns a write of which no trace is left: it is neither the present value, nor overwritten by someone who saw it,
  /// nor listed as lost, nor equal to a value of which one of these holds.
  func missing(in state: [RowName: RowState]) -> Write? {
    struct Content: Hashable {
      let row: RowName
      let property: String
      let value: ReplicatedValue
    }
    var covered: Set<Content> = []
    var present = overwritten
    for row in state.values {
      for (write, value) in Self.writes(row) {
        present.insert(write)
        covered.insert(Content(row: write.row, property: write.property, value: value))
      }
      for loss in row.losses {
        guard let property = loss.property else { continue }
        present.insert(Write(row: row.name, property: property, stamp: loss.stamp))
        covered.insert(Content(row: row.name, property: property, value: loss.value))
      }
    }
    for (write, value) in values where present.contains(write) {
      covered.insert(Content(row: write.row, property: write.property, value: value))
    }
    return values.keys.filter { write in
      var last = write
      var steps = 0
      while !present.contains(last), let next = successors[last], steps < 100 { (last, steps) = (next, steps + 1) }
      if present.contains(last) { return false }
      // A row that is deleted is listed as a whole, with the last of the changes.
      if state[write.row]?.losses.contains(where: { $0.property == nil }) == true { return false }
      // A document that was inserted again lacks the property, as the writer wanted who has removed it from the former one.
      if values[write] == .null, write.row.table.hasPrefix(OracleTable.documents), let row = state[write.row],
        row.isThere, !row.properties.contains(where: { $0.name == write.property })
      {
        return false
      }
      return values[write].map { !covered.contains(Content(row: write.row, property: write.property, value: $0)) }
        ?? false
    }.min { $0.stamp < $1.stamp }
  }
}
