import Foundation
import Larder

// Worlds are handed to another process as JSON: a reference as the key that it holds, a document as its text.

extension LibraryBook: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, title, pages, price, rating, isRead, tags, shelf, author
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try values.decode(Int.self, forKey: .id), title: try values.decode(String.self, forKey: .title),
      pages: try values.decode(Int.self, forKey: .pages), price: try values.decode(Decimal.self, forKey: .price),
      rating: try values.decodeIfPresent(Double.self, forKey: .rating),
      isRead: try values.decode(Bool.self, forKey: .isRead), tags: try values.decode([String].self, forKey: .tags),
      shelf: ToOne(try values.decode(Int.self, forKey: .shelf)),
      author: try values.decodeIfPresent(Int.self, forKey: .author).map { ToOne($0) })
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(title, forKey: .title)
    try values.encode(pages, forKey: .pages)
    try values.encode(price, forKey: .price)
    try values.encodeIfPresent(rating, forKey: .rating)
    try values.encode(isRead, forKey: .isRead)
    try values.encode(tags, forKey: .tags)
    try values.encode(shelf.id, forKey: .shelf)
    try values.encodeIfPresent(author?.id, forKey: .author)
  }
}

extension LibraryAuthor: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, name, agency
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try values.decode(Int.self, forKey: .id), name: try values.decode(String.self, forKey: .name),
      agency: try values.decodeIfPresent(Int.self, forKey: .agency).map { ToOne($0) })
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(agency?.id, forKey: .agency)
  }
}

extension World.Paper: Codable {
  private enum CodingKeys: String, CodingKey {
    case document, expires
  }

  private struct Malformed: Error {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard case .object(let document) = try DocumentValue(json: try values.decode(String.self, forKey: .document)) else {
      throw Malformed()
    }
    self.init(document: document, expires: try values.decodeIfPresent(Double.self, forKey: .expires))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(try DocumentValue.object(document).json(), forKey: .document)
    try values.encodeIfPresent(expires, forKey: .expires)
  }
}
