extension World {
  /// Hides what has expired.
  ///
  /// - Parameter start: Where the clock was before it leapt to the time; nil if it did not leap. A leap hides rows and
  ///   deletes none; stores go on by the time before it, and some of the machine's time may have passed.
  mutating func expire(at now: Double, leapingFrom start: Double? = nil) {
    func isKept(_ end: Double) -> Bool { start.map { end > $0 + Self.margin } ?? false }
    for (key, pass) in passes {
      guard let end = pass.expires, end <= now else { continue }
      passes[key] = nil
      hiddenPasses[key] = Hidden(row: pass, isKept: isKept(end))
    }
    for (key, paper) in papers {
      guard let end = paper.expires, end <= now else { continue }
      papers[key] = nil
      hiddenPapers[key] = Hidden(row: paper, isKept: isKept(end))
    }
  }

  /// The seconds of the machine's time within which a leap is looked at.
  static let margin = 60.0

  /// Shows what has not expired any more, after the clock has gone back.
  ///
  /// - Parameters:
  ///   - seen: What a store says: rows that may have been deleted are there or not.
  ///   - isProbation: Whether so little time has passed that no leap is believed.
  mutating func reappear(at now: Double, _ seen: World, isProbation: Bool) {
    for (key, hidden) in hiddenPasses where hidden.row.expires.map({ $0 > now }) ?? true {
      hiddenPasses[key] = nil
      if hidden.isKept && isProbation || seen.passes[key] != nil { passes[key] = hidden.row }
    }
    for (key, hidden) in hiddenPapers where hidden.row.expires.map({ $0 > now }) ?? true {
      hiddenPapers[key] = nil
      if hidden.isKept && isProbation || seen.papers[key] != nil { papers[key] = hidden.row }
    }
  }

  /// Whether rows are hidden that have not expired at the time.
  func hasHidden(after now: Double) -> Bool {
    hiddenPasses.values.contains { ($0.row.expires ?? .infinity) > now }
      || hiddenPapers.values.contains { ($0.row.expires ?? .infinity) > now }
  }

  /// Called when expired rows were deleted.
  mutating func forgetHidden() {
    hiddenPasses = [:]
    hiddenPapers = [:]
  }
}
