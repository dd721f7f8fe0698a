import Foundation
import Larder
import LarderSync
import LarderTestSupport

extension SyncedWriter {
  // MARK: Documents and attachments

  mutating func writeDocument(_ one: Int, _ other: Int) async throws {
    let documents = store.documents(one > 3 ? "Places" : "people")
    let key = "\(number())"
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      try await documents.save(key, ["name": .text("\(other)"), "age": .integer(Int64(one)), "nul\0": "a\0\(one)"])
    case 1: try await documents.save(key, ["list": [.integer(Int64(other)), ["deep": .real(Double(one) / 3)]]])
    case 2: try await documents.update(key, ["age": .integer(Int64(other))])
    case 3: try await documents.update(key, ["name": .text("n\(one)"), "nul\0": "a\0\(other)"])
    case 4: try await documents.delete(key)
    default:
      if other == 0 {
        try await documents.deleteCollection()
      } else {
        _ = try await documents.setExpiry(of: key, to: Date(timeIntervalSince1970: 10_000_000_000 + Double(one)))
      }
    }
  }

  mutating func writePicture(_ one: Int, _ other: Int) async throws {
    if other == 4 {
      try await store.deleteAll(SyncedPicture.where { $0.id == "\(one)" })
      return
    }
    let image = try await store.attach(Data("\(number())".utf8))
    let picture = SyncedPicture(id: "\(one)", name: "\(other)", image: image, details: other > 2 ? [image] : [])
    try await store.save(picture)
  }

  // MARK: Deciding

  mutating func decideConflict() async throws {
    let conflicts = try await store.sync.conflicts().sorted { $0.lostStamp < $1.lostStamp }
    guard let conflict = conflicts.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      try await store.sync.restore(conflict)
    } else {
      try await store.sync.dismiss(conflict)
    }
  }

  mutating func decideSetAside() async throws {
    let rows = try await store.sync.setAside().sorted { "\($0.table) \($0.key)" < "\($1.table) \($1.key)" }
    guard let row = rows.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await store.sync.discard(row)
    case 1: try await store.sync.restore(row)
    default: try await store.sync.merge(row)
    }
  }

  func link(_ cost: UUID, _ tag: UUID, isLinked: Bool) async throws {
    guard let found = try await store.find(SyncedCost.self, cost),
      let linked = try await store.find(SyncedTag.self, tag)
    else { return }
    if isLinked {
      try await store.link(found, \.tags, linked)
    } else {
      try await store.unlink(found, \.tags, linked)
    }
  }
}
