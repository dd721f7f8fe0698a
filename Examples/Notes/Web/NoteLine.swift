import Foundation
import Larder

/// A line of the list.
struct NoteLine: Encodable {
  let id: UUID
  let title: String
  let excerpt: String
  let pictures: Int
  let createdAt: Date
  let modifiedAt: Date

  init(_ note: Note, search: String) {
    id = note.id
    title = note.title
    excerpt = Self.excerpt(of: note.body, around: search)
    pictures = note.images.count
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }

  /// The beginning of the text as one line, or the part where the first word of the search stands.
  private static func excerpt(of text: String, around search: String) -> String {
    var start = text.startIndex
    if let word = search.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).first,
      let found = text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive])
    {
      start = text.index(found.lowerBound, offsetBy: -30, limitedBy: text.startIndex) ?? text.startIndex
    }
    let line = text[start...].prefix(400).split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(160)
    return start == text.startIndex ? String(line) : "…\(line)"
  }
}
