import Larder
import LarderSync

/// A row that is set aside, as the page shows it.
struct SetAsideState: Encodable, Equatable, Sendable {
  /// What names the row in requests.
  let token: String
  let name: String
  /// Why it is not among the others, in a sentence.
  let reason: String
  /// What can be done about it.
  let choices: [String]

  /// Creates the state, or returns nil for a row that is no person's business: a pair of a tag and a note that is set
  /// aside with one of them.
  init?(_ row: SetAsideRow, _ contents: Contents) {
    guard let name = (row.properties["title"] ?? row.properties["name"])?.text else { return nil }
    self.name = name
    token = Self.token(of: row)
    let choices: [SetAsideChoice]
    switch row.reason {
    case .deleted(let property, _, _):
      reason = "Its \(property) was deleted."
      choices = [.restore, .discard]
    case .missing(let property, _, _):
      reason = "Its \(property) has not arrived yet."
      choices = [.discard]
    case .setAside(let property, _, _):
      reason = "Its \(property) is set aside as well."
      choices = [.discard]
    case .duplicate(let properties, _):
      reason = "There is another \(row.table.lowercased()) with this \(properties.joined(separator: " and "))."
      choices = [.merge, .discard]
    case .incomplete:
      reason = "It comes from another version of this app."
      choices = [.discard]
    }
    self.choices = choices.map(\.rawValue)
  }

  static func token(of row: SetAsideRow) -> String { "\(row.table) \(row.key)" }
}

/// What can be done about a row that is set aside.
enum SetAsideChoice: String {
  case restore, merge, discard
}
