import Foundation
import Larder

extension FaultScenario {
  private typealias Sample = FaultSample

  /// Relationships, full text, contexts, documents and expiry.
  static let features: [FaultScenario] = [
    FaultScenario(
      name: "cascade",
      steps: [
        Step("delete a shelf") { try await $1.delete(FaultShelf.self, 2) },
        Step("link") { _, store in try await store.link(Sample.books(12...12)[0], \.tags, Sample.tags) },
      ]),
    FaultScenario(
      name: "deep-cascade", models: [FaultLink.self, FaultRack.self],
      prepare: { place in
        let store = try Store(at: place.store, for: FaultLink.self, FaultRack.self, FaultProbe.self)
        try await store.write { db in
          try db.insert([FaultRack(id: 1), FaultRack(id: 2)])
          try db.insert(Sample.links(1_200))
        }
      },
      steps: [
        Step("delete a long chain") { try await $1.delete(FaultLink.self, 1) },
        Step("delete a long chain in a context") { _, store in
          let context = Context(store)
          context.delete(FaultLink.self, 2)
          try context.save()
        },
        Step("delete a circle") { try await $1.deleteAll(FaultLink.where { $0.id == 3 }) },
      ]),
    FaultScenario(
      name: "full-text",
      steps: [
        Step("retitle") {
          try await $1.updateAll(FaultBook.where { $0.id <= 12 }) { $0.title.set("A mountain in the mist") }
        },
        Step("search") { _, store in
          let (new, old) = try await store.read { db in
            (try db.count(FaultBook.search("mountain")), try db.count(FaultBook.search("sea")))
          }
          guard new + old == 24, [0, 12].contains(new) else {
            throw WrongAnswer(description: "searches found \(new) and \(old) rows")
          }
        },
      ]),
    FaultScenario(
      name: "context",
      steps: [
        Step("save a context") { _, store in
          let context = Context(store)
          context.insert(Sample.books(100...110))
          context.update(Sample.books(1...4, text: 1500))
          context.delete(FaultBook.self, 9)
          let child = context.child()
          child.insert(FaultShelf(id: 8, name: "Shelf 8"))
          try child.save()
          try context.save()
        }
      ]),
    FaultScenario(
      name: "context-again",
      steps: [
        // A context keeps its changes where saving fails, and can be saved again.
        Step("save a context until it is saved") { place, store in
          let context = Context(store)
          context.insert(Sample.books(100...110))
          do {
            try context.save()
          } catch {
            place.disarm()
            guard context.refusals.isEmpty else { throw error }
            try context.save()
          }
        }
      ]),
    FaultScenario(
      name: "documents",
      prepare: { place in
        try await Sample.write(to: place)
        let people = try Store(at: place.store, for: FaultBook.self, FaultProbe.self).documents("people")
        try await people.save(
          keyed: (0..<20).map { ("p\($0)", ["name": "Name \($0)", "age": .init(integerLiteral: Int64($0))]) })
      },
      steps: [
        Step("set") { try await $1.documents("people").save("new", ["name": "New", "city": "Graz"]) },
        Step("set many") {
          try await $1.documents("people").save(keyed: (30..<45).map { ("p\($0)", ["name": "Name", "shoe": 42]) })
        },
        Step("update") { try await $1.documents("people").update(["p1", "p2"], ["age": 99]) },
        Step("delete all") { try await $1.documents("people").deleteAll { $0.age < 5 } },
      ]),
    FaultScenario(
      name: "document-collections",
      prepare: { place in
        try await Sample.write(to: place)
        let store = try Store(at: place.store, for: FaultBook.self, FaultProbe.self)
        try await store.documents("old").save(keyed: (0..<20).map { ("p\($0)", ["name": "Name \($0)"]) })
        try await store.documents("people").save(keyed: (0..<20).map { ("p\($0)", ["name": "Name \($0)"]) })
      },
      steps: [
        Step("a new collection") { try await $1.documents("places").save("graz", ["name": "Graz"]) },
        Step("an index") { try await $1.documents("people").index(on: "name") },
        Step("drop") { try await $1.documents("old").deleteCollection() },
      ]),
    FaultScenario(
      name: "expiry", models: [FaultToken.self], configuration: expiring,
      prepare: { place in
        let store = try Store(at: place.store, for: [FaultToken.self, FaultProbe.self], configuration: expiring)
        try await store.save(
          (0..<30).map { FaultToken(id: $0, text: String(repeating: "t", count: 300)) }, expires: Sample.now + 5000)
      },
      steps: [
        Step("save expiring rows") {
          try await $1.save((40..<50).map { FaultToken(id: $0) }, expires: Sample.now + 9000)
        },
        Step("save one for good") { try await $1.save(FaultToken(id: 60)) },
        Step("change an expiry") { try await $1.setExpiry(of: FaultToken.self, 3, to: Sample.now + 8000) },
      ]),
    FaultScenario(
      name: "context-expiry", models: [FaultToken.self], configuration: expiring,
      prepare: { place in
        let store = try Store(at: place.store, for: [FaultToken.self, FaultProbe.self], configuration: expiring)
        try await store.save((0..<10).map { FaultToken(id: $0) }, expires: Sample.now + 5000)
        // Expired, with keys that the context takes.
        try await store.save((10..<20).map { FaultToken(id: $0) }, expires: Sample.now - 10)
      },
      steps: [
        Step("save moved expiries") { _, store in
          let context = Context(store)
          try context.save((0..<5).map { FaultToken(id: $0, text: "moved") }, expires: Sample.now + 9000)
          _ = try context.setExpiry(of: FaultToken.self, 6, to: nil)
          try context.save((10..<15).map { FaultToken(id: $0, text: "again") }, expires: Sample.now + 7000)
          let child = context.child()
          try child.insert(FaultToken(id: 30), expires: Sample.now + 6000)
          context.delete(FaultToken.self, 7)
          try child.save()
          try context.save()
        }
      ]),
    FaultScenario(
      name: "sweeping", models: [FaultToken.self], configuration: expiring,
      prepare: { place in
        let store = try Store(
          at: place.store, for: [FaultToken.self, FaultProbe.self],
          configuration: Store.Configuration(now: { Sample.now - 9000 }))
        try await store.save(
          (0..<30).map { FaultToken(id: $0, text: String(repeating: "t", count: 300)) }, expires: Sample.now - 10)
        try await store.save((40..<50).map { FaultToken(id: $0) }, expires: Sample.now + 9000)
      },
      steps: [Step("sweep") { try await $1.removeExpired() }]),
  ]

  private static let expiring = Store.Configuration(busyTimeout: .milliseconds(50), now: { FaultSample.now })
}
