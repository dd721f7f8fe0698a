extension SelectedQuery: CustomStringConvertible {
  /// The query as Swift that makes it: `Note.where { $0.views > 3 }.select(\.title)`. What `map` adds isn't shown.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String { rows.description }
}

extension SelectedRows: CustomStringConvertible {
  @usableFromInline var description: String {
    "\(query).select\(SwiftWriter(M.self).selection(nodes))\(isDistinct ? ".distinct()" : "")"
  }
}

extension GroupedQuery: CustomStringConvertible {
  /// The query as Swift that makes it: `Cost.all.grouped(by: \.category) { ($0.key, $0.count) }`.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String {
    let rows = SwiftWriter(M.self)
    let writer = rows.grouping(by: groups.keys)
    let texts = groups.keys.map(rows.text)
    let isPath = texts.count == 1 && SwiftWriter.isPath(texts[0])
    let key = isPath ? "\\\(texts[0].dropFirst(2))" : "{ \(SwiftWriter.tuple(texts)) }"
    let values = SwiftWriter.tuple(nodes.map(writer.text))
    return "\(query).grouped(by: \(key)) { \(values) }\(groups.description(writer))"
  }
}
