extension Report {
  /// The report for a terminal.
  public var text: String {
    results.map(Self.text).joined(separator: "\n") + (results.count > 1 ? "\n" + totals : "")
  }

  private var totals: String {
    let cases = results.reduce(0) { $0 + $1.cases }
    let checks = results.reduce(0) { $0 + $1.checks }
    let seconds = results.reduce(0) { $0 + $1.seconds }
    return """
      All parts: \(Self.grouped(cases)) cases, \(Self.grouped(checks)) checks, \(findings) \(findings == 1 ? "finding" : "findings"), \
      \(Self.duration(seconds)).

      """
  }

  private static func text(_ result: PartResult) -> String {
    var lines = [
      "\(result.title) (\(result.part), seed \(result.seed))",
      "  \(result.summary)",
      "  \(grouped(result.cases)) \(result.unit), \(grouped(result.checks)) checks, \(duration(result.seconds))",
    ]
    for counter in result.counters { lines.append("    \(counter.name): \(grouped(counter.value))") }
    if result.findings.isEmpty {
      lines.append("  Nothing was found.")
    } else {
      lines.append("  Found: \(result.findings.count)")
      for finding in result.findings {
        lines.append("  - \(finding.description)")
        lines.append("    again: \(finding.reproduction)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A table of the figures, for the article about testing.
  public var articleTable: String {
    let rows = results.map { result in
      "| \(result.title) | \(Self.grouped(result.cases)) \(result.unit) | \(Self.grouped(result.checks)) | \(result.findings.count) "
        + "| \(Self.duration(result.seconds)) | \(result.seed) |"
    }
    return (["| part | tried | checks | findings | time | seed |", "| --- | --- | --- | --- | --- | --- |"] + rows)
      .joined(separator: "\n") + "\n"
  }
}
