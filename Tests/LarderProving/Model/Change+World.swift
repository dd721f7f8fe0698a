import Foundation
import Larder

extension World {
  /// An error that a change is to end in.
  struct Refusal: Error, Equatable {
    let code: StoreError.Code
  }

  /// Changes the world as the store is to change, and returns what the verb returns.
  mutating func apply(_ change: Change, now: Double) throws -> Int {
    expire(at: now)
    defer { links = links.filter { !$0.value.isEmpty } }
    switch change {
    case .shelves(let verb, let rows):
      for row in rows {
        try check(verb, isThere: shelves[row.id] != nil)
        if let code = row.code, shelves.contains(where: { $0.key != row.id && $0.value.code == code }) {
          throw Refusal(code: .duplicate)
        }
        shelves[row.id] = row
      }
    case .books(let verb, let rows):
      for row in rows {
        try check(verb, isThere: books[row.id] != nil)
        books[row.id] = row
      }
    case .authors(let verb, let rows):
      for row in rows {
        try check(verb, isThere: authors[row.id] != nil)
        authors[row.id] = row
      }
    case .agencies(let verb, let rows):
      for row in rows {
        try check(verb, isThere: agencies[row.id] != nil)
        agencies[row.id] = row
      }
    case .labels(let verb, let rows):
      for row in rows {
        try check(verb, isThere: labels.contains(row.id))
        labels.insert(row.id)
      }
    case .delete(let kind, let ids): return try delete(kind, ids)
    case .deleteLabel(let id):
      let isThere = labels.contains(id)
      remove(label: id)
      return isThere ? 1 : 0
    case .updateAll(let selection, let assignment):
      let rows = selection.rows(in: self)
      for row in rows { books[row.id] = assignment.applied(to: row) }
      return rows.count
    case .deleteAll(let selection):
      let rows = selection.rows(in: self)
      for row in rows { remove(book: row.id) }
      return rows.count
    case .sql(let pages): for id in books.keys where (books[id]?.pages ?? 0) > pages { books[id]?.isRead.toggle() }
    default: return try applyOther(change, now: now)
    }
    return 0
  }

  private func check(_ verb: Change.Verb, isThere: Bool) throws {
    switch verb {
    case .insert: if isThere { throw Refusal(code: .duplicate) }
    case .update: if !isThere { throw Refusal(code: .notFound) }
    case .save: break
    }
  }

  private mutating func delete(_ kind: Change.Kind, _ ids: [Int]) throws -> Int {
    var count = 0
    for id in ids {
      switch kind {
      case .shelf:
        count += shelves[id] == nil ? 0 : 1
        if shelves[id] != nil { remove(shelf: id) }
      case .book:
        count += books[id] == nil ? 0 : 1
        remove(book: id)
      case .author:
        count += authors[id] == nil ? 0 : 1
        if authors[id] != nil { remove(author: id) }
      case .agency:
        count += agencies[id] == nil ? 0 : 1
        if agencies[id] != nil, authors.values.contains(where: { $0.agency?.id == id }) {
          throw Refusal(code: .referenced)
        }
        agencies[id] = nil
      }
    }
    return count
  }

  private mutating func applyOther(_ change: Change, now: Double) throws -> Int {
    switch change {
    case .link(let book, let labels):
      let new = labels.map(\.id).filter { !links[book.id, default: []].contains($0) }
      links[book.id, default: []] += new
    case .unlink(let book, let label):
      let isLinked = links[book.id]?.contains(label.id) ?? false
      links[book.id]?.removeAll { $0 == label.id }
      return isLinked ? 1 : 0
    case .setLinks(let book, let labels): links[book.id] = labels.map(\.id)
    case .pass(let pass, let date):
      passes[pass.id] = Pass(value: pass.value, expires: date)
      hiddenPasses[pass.id] = nil
    case .deletePass(let id): return passes.removeValue(forKey: id) == nil ? 0 : 1
    case .setExpiry(let id, let date):
      guard passes[id] != nil else { return 0 }
      passes[id]?.expires = date
      expire(at: now)
      return 1
    case .documents(let entries, let date):
      for entry in entries {
        papers[entry.key] = Paper(document: entry.value, expires: date)
        hiddenPapers[entry.key] = nil
      }
    case .updateDocument(let key, let changes):
      guard var paper = papers[key] else { throw Refusal(code: .notFound) }
      for (name, value) in changes { paper.document[name] = value }
      papers[key] = paper
    case .deleteDocument(let key): return papers.removeValue(forKey: key) == nil ? 0 : 1
    case .deleteDocuments(let limit):
      let keys = papers.filter { ($0.value.document["number"]?.integer ?? 99) < limit }.keys
      for key in keys { papers[key] = nil }
      return keys.count
    default: break
    }
    expire(at: now)
    return 0
  }
}

extension Change.Assignment {
  func applied(to row: LibraryBook) -> LibraryBook {
    var row = row
    switch self {
    case .addPages: row.pages += 3
    case .negatePages: row.pages *= -1
    case .markRead: row.isRead = true
    case .rename: row.title = "map"
    case .forgetAuthor: row.author = nil
    case .raisePrice: row.price += Decimal(1) / 4
    }
    return row
  }
}
