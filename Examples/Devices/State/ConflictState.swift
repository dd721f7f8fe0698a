import Larder
import LarderSync

/// A conflict as the page shows it.
struct ConflictState: Encodable, Equatable, Sendable {
  /// What names the conflict in requests.
  let token: String
  /// What happened, in a sentence.
  let text: String
  /// The value that lost; nil for a deleted row.
  let lost: String?

  init(_ conflict: SyncConflict, _ contents: Contents) {
    token = Self.token(of: conflict)
    let name = conflict.key.first.flatMap(contents.name(of:)).map { "“\($0)”" }
    switch conflict.kind {
    case .value(let property) where conflict.isAddition:
      text =
        "One device counted the \(property) of \(name ?? "a \(conflict.table.lowercased())"), and the other put a new one in its place."
      lost = "\(conflict.lost)"
    case .value(let property):
      text =
        "Both devices changed the \(property) of \(name ?? "a \(conflict.table.lowercased())"). The later change stands."
      lost = contents.name(of: conflict.lost) ?? (conflict.lost.isNull ? "none" : "\(conflict.lost)")
    case .deletedRow:
      text = "A \(conflict.table.lowercased()) was changed on one device and deleted on the other. It is deleted."
      lost = nil
    }
  }

  static func token(of conflict: SyncConflict) -> String {
    "\(conflict.table) \(conflict.key) \(conflict.kind) \(conflict.lostStamp.time) \(conflict.lostStamp.replica)"
  }
}

/// What can be done about a conflict.
enum ConflictChoice: String {
  case restore, dismiss
}
