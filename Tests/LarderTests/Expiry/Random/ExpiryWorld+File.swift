@testable import Larder

extension ExpiryWorld {
  /// Deletes the expired rows that the file no longer has, with what the delete rules say, and marks those that it has
  /// set aside.
  mutating func reconcile(
    permits: [Int: Double?], tickets: [Int: Double?], papers: [String: Double?], at now: Double
  ) throws {
    let gone = self.permits.filter { permits[$0.key] == nil && !$0.value.isThere(at: now) }
    do { try delete(permits: Set(gone.keys)) } catch {
      throw ExpiryRun.Difference(description: "a permit of \(gone.keys.sorted()) was deleted though a seal keeps it")
    }
    for (id, ticket) in self.tickets where tickets[id] == nil {
      guard !ticket.isThere(at: now) else {
        throw ExpiryRun.Difference(description: "ticket \(id) was deleted before its end")
      }
      self.tickets[id] = nil
    }
    for (key, paper) in self.papers where papers[key] == nil {
      guard !paper.isThere(at: now) else {
        throw ExpiryRun.Difference(description: "document \(key) was deleted before its end")
      }
      self.papers[key] = nil
    }
    for case (let id, let end?) in permits where end <= Expiry.released {
      guard let permit = self.permits[id], !permit.isThere(at: now),
        isDenied([id]) || end == Expiry.released || permit.end == Expiry.kept
      else {
        throw ExpiryRun.Difference(description: "permit \(id) was set aside though nothing keeps it")
      }
      self.permits[id]?.end = Expiry.kept
    }
    let (left, expected) = (permits.keys.sorted(), self.permits.keys.sorted())
    guard left == expected, tickets.keys.sorted() == self.tickets.keys.sorted(),
      papers.keys.sorted() == self.papers.keys.sorted()
    else {
      throw ExpiryRun.Difference(
        description:
          "the file has permits \(left), tickets \(tickets.keys.sorted()), documents \(papers.keys.sorted()) instead of \(expected), \(self.tickets.keys.sorted()), \(self.papers.keys.sorted())"
      )
    }
  }

  /// Keeps the expired rows whose keys a context gave to rows that it deleted again: saving it changes nothing there.
  ///
  /// - Parameter before: The world before the context.
  mutating func keepHidden(from before: ExpiryWorld, permits: Set<Int>, tickets: Set<Int>, at now: Double) {
    for (id, entry) in before.permits where !entry.isThere(at: now) && self.permits[id] == nil && permits.contains(id) {
      self.permits[id] = entry
    }
    for (id, entry) in before.tickets where !entry.isThere(at: now) && self.tickets[id] == nil && tickets.contains(id) {
      self.tickets[id] = entry
      if let spare = entry.row.spare, self.permits[spare.id] == nil { self.tickets[id]?.row.spare = nil }
    }
  }

  /// Whether a row has expired by the clock that no seal keeps.
  func hasRemovable(at reading: Double) -> Bool {
    func isOver(_ end: Double?) -> Bool { end.map { $0 <= reading } ?? false }
    return permits.contains { isOver($0.value.end) && !isDenied([$0.key]) }
      || tickets.values.contains { isOver($0.end) } || papers.values.contains { isOver($0.end) }
  }
}
