extension Query: CustomStringConvertible {
  /// The query as Swift that makes it, with the values that it compares with:
  /// `Note.where { $0.views > 3 }.sorted(by: \.title).limit(20)`.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String {
    let writer = SwiftWriter { column in
      guard column.table == M.schema.table else { return column.name }
      return M.schema.columns.first { $0.name == column.name }?.property ?? column.name
    }
    var text = "\(M.self)"
    var begins = true
    if let search {
      text += ".search(\(search.pattern.debugDescription))"
      begins = false
    }
    if let filter {
      text += ".where { \(writer.text(filter)) }"
      begins = false
    }
    if begins { text += ".all" }
    for sort in sorts { text += sorted(sort, writer) }
    if limit != nil || offset > 0 {
      text += ".limit(\(limit.map(String.init) ?? "all")\(offset > 0 ? ", offset: \(offset)" : ""))"
    }
    if cursor != nil { text += ".after(row)" }
    for inclusion in inclusions {
      let property = M.schema.relationships.first { $0.keyPath == inclusion.path }?.property
      text += ".including(\\.\(property ?? "…"))"
    }
    return text
  }

  private func sorted(_ sort: QuerySort, _ writer: SwiftWriter) -> String {
    let key = writer.text(sort.node)
    let isPath = key.hasPrefix("$0.") && key.allSatisfy { $0.isLetter || $0.isNumber || "$._".contains($0) }
    let order = sort.isDescending ? "order: .reverse" : ""
    if isPath { return ".sorted(by: \\\(key.dropFirst(2))\(order.isEmpty ? "" : ", \(order)"))" }
    return ".sorted\(order.isEmpty ? "" : "(\(order))") { \(key) }"
  }
}
