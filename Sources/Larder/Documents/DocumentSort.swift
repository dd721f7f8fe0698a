import Foundation

/// The order of documents, parsed from text: `"name, date desc"`.
///
/// Paths are separated by commas, each optionally followed by `asc` or `desc`. ``DocumentPath`` documents how to quote
/// names with commas, spaces, points or quotation marks.
struct DocumentSort {
  struct Term: Equatable {
    let path: DocumentPath
    let isDescending: Bool
  }

  let terms: [Term]

  /// Parses the text. Throws ``StoreError`` `.invalidValue` if it isn't an order.
  init(_ text: String) throws {
    terms = try Self.parts(of: text).map { try Self.term(of: $0, in: text) }
  }

  /// Returns the parts of the text between commas that aren't in quotation marks.
  private static func parts(of text: String) -> [String] {
    var parts: [String] = []
    var part = String.UnicodeScalarView()
    var isQuoted = false
    for scalar in text.unicodeScalars {
      if scalar == "\"" { isQuoted.toggle() }
      if scalar == ",", !isQuoted {
        parts.append(String(part))
        part.removeAll()
      } else {
        part.append(scalar)
      }
    }
    guard !parts.isEmpty || part.contains(where: { !$0.properties.isWhitespace }) else { return [] }
    return parts + [String(part)]
  }

  private static func term(of part: String, in text: String) throws -> Term {
    var name = part.trimmed
    var isDescending = false
    if let space = name.lastIndex(where: \.isWhitespace), !name.hasSuffix("\"") {
      let direction = name[name.index(after: space)...].lowercased()
      let rest = String(name[..<space]).trimmed
      if ["asc", "desc"].contains(direction), !rest.isEmpty {
        isDescending = direction == "desc"
        name = rest
      }
    }
    guard !name.isEmpty else {
      throw StoreError(
        .invalidValue,
        "The sort order \"\(text)\" has an empty name. Write names between commas, as in \"name, date desc\".")
    }
    return Term(path: try DocumentPath(parsing: name), isDescending: isDescending)
  }

  func write(_ writer: inout SQLWriter) {
    for (position, term) in terms.enumerated() {
      writer.write(position == 0 ? " ORDER BY " : ", ")
      writer.write(DocumentSQL.value(term.path))
      if term.isDescending { writer.write(" DESC") }
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = firstIndex { !$0.isWhitespace } ?? endIndex
    let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
    return String(self[start..<end])
  }
}
