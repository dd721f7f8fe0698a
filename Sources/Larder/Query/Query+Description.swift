extension Query: CustomStringConvertible {
  /// The query as Swift that makes it, with the values that it compares with:
  /// `Note.where { $0.views > 3 }.sorted(by: \.title).limit(20)`.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String {
    let writer = SwiftWriter(M.self)
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
    text += SwiftWriter.limit(limit, offset)
    if cursor != nil { text += ".after(row)" }
    for inclusion in inclusions {
      let property = M.schema.relationships.first { $0.keyPath == inclusion.path }?.property
      text += ".including(\\.\(property ?? "…"))"
    }
    return text
  }

  private func sorted(_ sort: QuerySort, _ writer: SwiftWriter) -> String {
    let key = writer.text(sort.node)
    let isPath = SwiftWriter.isPath(key)
    let order = sort.isDescending ? "order: .reverse" : ""
    if isPath { return ".sorted(by: \\\(key.dropFirst(2))\(order.isEmpty ? "" : ", \(order)"))" }
    return ".sorted\(order.isEmpty ? "" : "(\(order))") { \(key) }"
  }
}
