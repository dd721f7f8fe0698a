import Foundation
import Larder

/// What a file or a context holds, in plain Swift.
struct HaulWorld {
  private(set) var hauls: [Int: Haul] = [:]
  private var piers: [Token: Pier] = [:]
  /// The keys of the piers that expire when the time comes, and of those that have.
  private var ends: Set<Token> = []
  private(set) var expired: Set<Token> = []

  /// The rows in the order of their keys.
  var allHauls: [Haul] { hauls.values.sorted { $0.id < $1.id } }

  /// The piers whose time has not come, in the order of their keys.
  var allPiers: [Pier] {
    piers.filter { !expired.contains($0.key) }.values.sorted { $0.id.token < $1.id.token }
  }

  func pier(_ key: String?) -> Pier? {
    (key?.token).flatMap { expired.contains($0) ? nil : piers[$0] }
  }

  func pier(of haul: Haul) -> Pier? { pier(haul.pier?.id) }

  func hauls(at pier: Pier) -> [Haul] { allHauls.filter { $0.pier?.id.token == pier.id.token } }

  func parent(of haul: Haul) -> Haul? { (haul.parent?.id).flatMap { hauls[$0] } }

  func children(of haul: Haul) -> [Haul] { allHauls.filter { $0.parent?.id == haul.id } }

  /// The rows below a row, or above it, among which it is itself only in a circle.
  func tree(of key: Int, isBelow: Bool) -> [Haul] {
    var found: Set<Int> = []
    var waiting = [key]
    while let next = waiting.popLast() {
      let rows = isBelow ? allHauls.filter { $0.parent?.id == next } : hauls[next].flatMap(parent).map { [$0] } ?? []
      waiting += rows.map(\.id).filter { found.insert($0).inserted }
    }
    return allHauls.filter { found.contains($0.id) }
  }

  // MARK: Changes

  mutating func save(_ haul: Haul) { hauls[haul.id] = haul }

  mutating func save(_ pier: Pier, expires: Bool) {
    // What takes the key of an expired row is a new one.
    if expired.remove(pier.id.token) != nil { deletePier(pier.id) }
    piers[pier.id.token] = pier
    if expires { ends.insert(pier.id.token) } else { ends.remove(pier.id.token) }
  }

  /// Deletes a row with all below it.
  mutating func delete(_ key: Int) {
    for row in tree(of: key, isBelow: true) { hauls[row.id] = nil }
    hauls[key] = nil
  }

  /// Deletes a pier that has not expired.
  mutating func deletePier(_ key: String) {
    guard !expired.contains(key.token), piers.removeValue(forKey: key.token) != nil else { return }
    ends.remove(key.token)
    for (id, haul) in hauls where haul.pier.token == key.token { hauls[id]?.pier = nil }
  }

  /// The time of all piers that expire has come.
  mutating func expire() { expired = ends }

  /// Returns the row with the label.
  func holder(of label: String?) -> Haul? {
    label.flatMap { label in hauls.values.first { $0.label.token == label.token } }
  }
}
