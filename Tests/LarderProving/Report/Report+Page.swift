extension Report {
  /// The report as one HTML page that needs nothing else.
  public var page: String {
    let cases = results.reduce(0) { $0 + $1.cases }
    let checks = results.reduce(0) { $0 + $1.checks }
    let seconds = results.reduce(0) { $0 + $1.seconds }
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Larder: what the proof tried and found</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <main>
      <h1>What the proof tried and found</h1>
      <p class="total"><b>\(findings == 0 ? "Nothing was found." : "\(findings) \(findings == 1 ? "finding" : "findings").")</b>
      \(Self.grouped(cases)) cases and \(Self.grouped(checks)) checks in \(Self.duration(seconds)).</p>
      \(overview)
      \(results.map(Self.section).joined(separator: "\n"))
      </main>
      </body>
      </html>

      """
  }

  private var overview: String {
    let rows = results.map { result in
      """
      <tr><td><a href="#\(Self.escaped(result.part))">\(Self.escaped(result.title))</a></td><td>\(Self.grouped(result.cases)) \
      \(Self.escaped(result.unit))</td><td>\(Self.grouped(result.checks))</td><td>\(result.findings.count)</td></tr>
      """
    }
    return """
      <table><thead><tr><th>part</th><th>tried</th><th>checks</th><th>findings</th></tr></thead>
      <tbody>\(rows.joined())</tbody></table>
      """
  }

  private static func section(_ result: PartResult) -> String {
    let counters = result.counters.map { "<tr><td>\(escaped($0.name))</td><td>\(grouped($0.value))</td></tr>" }.joined()
    let findings = result.findings.map { finding in
      "<li><pre>\(escaped(finding.description))</pre><p>Again: <code>\(escaped(finding.reproduction))</code></p></li>"
    }
    let plots = result.series.filter { !$0.points.isEmpty }.map { series in
      "<figure><figcaption>\(escaped(series.name))</figcaption>\(Plot(series: series).svg)</figure>"
    }
    return """
      <section id="\(escaped(result.part))">
      <h2>\(escaped(result.title))</h2>
      <p>\(escaped(result.summary))</p>
      <p>\(grouped(result.cases)) \(escaped(result.unit)), \(grouped(result.checks)) checks, \(duration(result.seconds)), seed \(result.seed).</p>
      \(findings.isEmpty ? "<p class=\"good\">Nothing was found.</p>" : "<ol class=\"findings\">\(findings.joined())</ol>")
      <div class="plots">\(plots.joined())</div>
      <table><tbody>\(counters)</tbody></table>
      </section>
      """
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
      "\"", with: "&quot;")
  }

  /// A number in few characters, for an axis.
  static func short(_ number: Double) -> String {
    if number >= 1_000_000 { return "\((number / 100_000).rounded() / 10)M" }
    if number >= 10_000 { return "\(Int((number / 1000).rounded()))k" }
    return number == number.rounded() ? grouped(Int(number)) : "\((number * 10).rounded() / 10)"
  }

  private static let style = """
    :root { color-scheme: light dark; --ink: #1c2024; --soft: #5d656d; --paper: #fff; --rule: #d8dde2; --mark: #2563a8; --bad: #b3261e; --good: #23713c }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6e8ea; --soft: #a2abb3; --paper: #15181b; --rule: #363c42; --mark: #7cb3ee; --bad: #ff8f86; --good: #7fd19b }
    }
    * { box-sizing: border-box }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
    main { max-width: 52rem; margin: 0 auto; padding: 1rem }
    h1 { font-size: 1.6rem; line-height: 1.2 } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 1rem }
    table { border-collapse: collapse; width: 100%; font-size: .9rem } th, td { text-align: left; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--rule) }
    td:not(:first-child), th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums }
    a { color: var(--mark) } .good { color: var(--good) } .findings { color: var(--bad); padding-left: 1.2rem }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: .85rem } code { overflow-wrap: anywhere; color: var(--ink) }
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; align-items: start }
    figure { margin: 0 0 1rem } figcaption { font-size: .85rem; color: var(--soft) }
    svg { width: 100%; height: auto } svg text { fill: var(--soft); font: 10px system-ui, sans-serif }
    .axis { fill: none; stroke: var(--rule) } .line { fill: none; stroke: var(--mark); stroke-width: 2 } .bar { fill: var(--mark) }
    """
}
