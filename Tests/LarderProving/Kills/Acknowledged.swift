import Synchronization

/// What writers were told is stored, as they said it.
final class Acknowledged: Sendable {
  struct Facts: Sendable {
    /// The identifiers that are to be in the file, by what they name.
    var present: [String: Set<Int>] = [:]
    /// The identifiers that are not to be there any more.
    var deleted: Set<Int> = []
    /// The greatest number of each writer.
    var numbers: [Int: Int] = [:]
    var errors: [String] = []
    var busy = 0
    var count = 0
  }

  private let facts = Mutex(Facts())

  var current: Facts { facts.withLock { $0 } }

  /// Forgets what was checked, so that only what is new is checked again.
  func forget(_ checked: Facts) {
    facts.withLock { facts in
      for (kind, identifiers) in checked.present { facts.present[kind]?.subtract(identifiers) }
      facts.deleted.subtract(checked.deleted)
      facts.errors.removeFirst(checked.errors.count)
    }
  }

  /// Takes note of a line; false for one that acknowledges nothing.
  func note(_ line: String) -> Bool {
    let words = line.split(separator: " ", maxSplits: 2)
    guard let kind = words.first else { return false }
    return facts.withLock { facts in
      switch kind {
      case "ready": return false
      case "busy":
        facts.busy += 1
        return false
      case "error":
        facts.errors.append(line)
        return true
      case "count":
        guard words.count == 3, let writer = Int(words[1]), let number = Int(words[2]) else { return false }
        facts.numbers[writer] = max(number, facts.numbers[writer] ?? 0)
      default:
        guard words.count == 2, let identifier = Int(words[1]) else { return false }
        if kind == "deleted" {
          facts.deleted.insert(identifier)
        } else {
          facts.present[String(kind), default: []].insert(identifier)
        }
      }
      facts.count += 1
      return true
    }
  }
}
