import Foundation

/// The order of documents, as text says it: `"name, date desc"`.
///
/// Names stand between commas, each with `asc` or `desc` behind it or nothing. A name with commas, spaces or quotation marks stands in quotation
/// marks, its own doubled.
struct DocumentSort {
  struct Term: Equatable {
    let property: String
    let isDescending: Bool
  }

  let terms: [Term]

  /// Reads the text. Throws ``StoreError`` `.invalidValue` for one that is no order.
  init(_ text: String) throws {
    terms = try Self.parts(of: text).map { try Self.term(of: $0, in: text) }
  }

  /// The text between commas that no quotation marks enclose.
  private static func parts(of text: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var isQuoted = false
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    guard !parts.isEmpty || part.contains(where: { !$0.isWhitespace }) else { return [] }
    return parts + [part]
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
    let isQuoted = name.count >= 2 && name.hasPrefix("\"") && name.hasSuffix("\"")
    if isQuoted {
      name = String(name.dropFirst().dropLast()).replacingOccurrences(of: "\"\"", with: "\"")
    }
    guard isQuoted || !name.isEmpty else {
      throw StoreError(.invalidValue, "The sort order \"\(text)\" has an empty name. Write names between commas, as in \"name, date desc\".")
    }
    return Term(property: name, isDescending: isDescending)
  }

  func write(_ writer: inout SQLWriter) {
    for (position, term) in terms.enumerated() {
      writer.write(position == 0 ? " ORDER BY " : ", ")
      writer.write(DocumentSQL.value(term.property))
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
