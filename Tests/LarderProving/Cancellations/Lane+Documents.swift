import Foundation
import Larder
import LarderTestSupport

extension Lane {
  mutating func writeDocuments() async {
    let documents = store.documents("lane\(number)")
    let key = "key\(Int.random(in: 0..<8, using: &random))"
    let value = Int.random(in: 0..<50, using: &random)
    let document: Document = ["value": .integer(Int64(value)), "extra\(Int.random(in: 0..<30, using: &random))": true]
    var after = state
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      after.documents[key] = value
      await write("documents.save", .success(true), after) { _ in
        try await documents.save(key, document)
        return true
      }
    case 2:
      let values = (0..<5).map { (key: "key\($0)", value: document) }
      for entry in values { after.documents[entry.key] = value }
      await write("documents.save many", .success(true), after) { _ in
        try await documents.save(keyed: values)
        return true
      }
    case 3:
      after.documents[key] = nil
      await write("documents.delete", .success(state.documents[key] != nil), after) { _ in
        try await documents.delete(key)
      }
    case 4:
      let matching = state.documents.filter { $0.value < value }
      for key in matching.keys { after.documents[key] = nil }
      await write("documents.deleteAll", .success(matching.count), after) { _ in
        try await documents.deleteAll(where: [Condition("value", .lessThan, value)], validatesProperties: false)
      }
    case 5:
      let isIndexed = chance(2)
      await write("documents.index", .success(true), after) { _ in
        if isIndexed { try await documents.index(on: "value") } else { try await documents.removeIndex(on: "value") }
        return true
      }
    default:
      let matching = state.documents.filter { $0.value >= value }.keys.sorted()
      await read("documents.keys", matching) { _ in
        try await documents.keys(
          where: [Condition("value", .greaterThanOrEqual, value)], sort: "key", validatesProperties: false)
      }
    }
  }

  mutating func attach() async {
    let (store, id) = (store, number * 1_000_000 + Int.random(in: 0..<5, using: &random))
    let data = Data("content \(Int.random(in: 0..<6, using: &random))".utf8)
    let (outcome, trigger) = await attempt("attach") { _ in try await store.attach(data) }
    switch outcome {
    case .failure(is CancellationError): tally.check(trigger.isFired, "\(place("attach")): nobody cancelled it")
    case .failure(let error): tally.check(false, "\(place("attach")): \(error)")
    case .success(let content):
      await write("save with an attachment", .success(true)) { _ in
        try await store.save(CancelFile(id: id, content: content))
        return true
      }
      await read("data(of:)", data) { _ in try await store.data(of: content) }
    }
  }

  mutating func backUp() async {
    let (store, lane) = (store, number)
    let name = fileName
    let copy = folder.appending(component: name)
    let (outcome, trigger) = await attempt("backup") { _ in try await store.backup(to: copy) }
    do {
      switch outcome {
      case .success:
        let backup = try Store(at: copy, for: CancelItem.self, CancelTicket.self, CancelFile.self)
        let seen = try await backup.read { try LaneState(of: lane, in: $0) }
        tally.check(seen == state, "\(place("backup")): \(state.difference(to: seen))")
      case .failure(is CancellationError): tally.check(trigger.isFired, "\(place("backup")): nobody cancelled it")
      case .failure(let error): tally.check(false, "\(place("backup")): \(error)")
      }
      let isDone = (try? outcome.get()) != nil
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).filter {
        $0.hasPrefix(name)
      }
      tally.check(isDone || left.isEmpty, "\(place("backup")): a cancelled backup leaves \(left)")
    } catch {
      tally.check(false, "\(place("backup")): \(error)")
    }
  }
}
