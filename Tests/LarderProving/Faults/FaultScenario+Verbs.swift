import Foundation
import Larder

/// An answer that is not what the store holds.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String
}

/// An error that a closure of the user's throws.
struct FaultRefusal: Error {}

extension FaultScenario {
  private typealias Sample = FaultSample

  /// The verbs that write, each alone.
  static let verbs: [FaultScenario] = [
    FaultScenario(name: "insert", steps: [Step("insert") { try await $1.insert(Sample.books(100...100)[0]) }]),
    FaultScenario(
      name: "save",
      steps: [
        Step("save a new row") { try await $1.save(Sample.books(100...100)[0]) },
        Step("save a known row") { try await $1.save(Sample.books(5...5, text: 9000)[0]) },
      ]),
    FaultScenario(name: "update", steps: [Step("update") { try await $1.update(Sample.books(5...5, text: 9000)[0]) }]),
    FaultScenario(name: "delete", steps: [Step("delete") { try await $1.delete(FaultBook.self, 3) }]),
    FaultScenario(
      name: "insert-array", steps: [Step("insert an array") { try await $1.insert(Sample.books(100...140)) }]),
    FaultScenario(
      name: "save-array", steps: [Step("save an array") { try await $1.save(Sample.books(10...50, text: 700)) }]),
    FaultScenario(
      name: "update-array", steps: [Step("update an array") { try await $1.update(Sample.books(1...20, text: 900)) }]),
    FaultScenario(name: "delete-array", steps: [Step("delete an array") { try await $1.delete(Sample.books(1...20)) }]),
    FaultScenario(
      name: "update-all",
      steps: [
        Step("update all") { try await $1.updateAll(FaultBook.where { $0.pages > 50 }) { $0.pages.increment(by: 1) } }
      ]),
    FaultScenario(
      name: "delete-all", steps: [Step("delete all") { try await $1.deleteAll(FaultBook.where { $0.pages > 50 }) }]),
    FaultScenario(
      name: "once",
      steps: [Step("once") { _ = try await $1.once("seed") { db in try db.insert(Sample.books(100...105)) } }]),
    FaultScenario(
      name: "blocking",
      steps: [
        Step("blocking insert") { try $1.blocking.insert(Sample.books(100...100)[0]) },
        Step("blocking write") { _, store in
          try store.blocking.write { db in try db.save(Sample.books(1...4, text: 800)) }
        },
      ]),
    FaultScenario(
      name: "reading",
      steps: [
        Step("fetch") { _, store in
          let books = try await store.fetch(FaultBook.where { $0.pages >= 100 }.sorted(by: \.pages))
          guard books.map(\.id) == Array(10...24) else {
            throw WrongAnswer(description: "fetch returned \(books.map(\.id))")
          }
        },
        Step("search") { _, store in
          let count = try await store.count(FaultBook.search("sea"))
          guard count == 24 else { throw WrongAnswer(description: "a search found \(count) rows") }
        },
        Step("stream") { _, store in
          var count = 0
          for try await _ in store.stream(FaultBook.all) { count += 1 }
          guard count == 24 else { throw WrongAnswer(description: "a stream gave \(count) rows") }
        },
        Step("snapshot") { _, store in
          let (shelves, books) = try await store.read { db in
            (try db.fetch(FaultShelf.all.including(\.books)), try db.count(FaultBook.all))
          }
          guard shelves.reduce(0, { $0 + ($1.books.loaded?.count ?? 0) }) == books, books == 24 else {
            throw WrongAnswer(description: "a snapshot held \(books) books")
          }
        },
      ]),
  ]

  /// Transactions, savepoints and group commit.
  static let transactions: [FaultScenario] = [
    FaultScenario(
      name: "transaction", steps: [Step("transaction") { try await $1.write { db in try mixedChanges(db) } }]),
    FaultScenario(
      name: "transaction-full", configuration: Store.Configuration(durability: .full, busyTimeout: .milliseconds(50)),
      steps: [
        Step("insert") { try await $1.insert(Sample.books(200...200)[0]) },
        Step("transaction") { try await $1.write { db in try mixedChanges(db) } },
      ]),
    FaultScenario(
      name: "savepoints",
      steps: [
        Step("savepoints") { _, store in
          try await store.write { db in
            try db.savepoint { try $0.insert(Sample.books(100...110)) }
            do {
              try db.savepoint { db in
                try db.deleteAll(FaultBook.all)
                throw FaultRefusal()
              }
            } catch is FaultRefusal {
              // The savepoint alone was undone.
            }
            try db.savepoint { try $0.update(Sample.books(1...3, text: 2000)) }
          }
        }
      ]),
    FaultScenario(
      name: "swallowed-error",
      steps: [
        // A closure that catches what a statement throws, and goes on.
        Step("catching transaction") { _, store in
          try await store.write { db in
            try db.insert(Sample.books(100...104))
            try? db.savepoint { try $0.insert(Sample.books(105...125)) }
            let count = try db.count(FaultBook.where { $0.id.isBetween(105, 125) })
            guard count == 21 else { throw FaultRefusal() }
            try db.insert(Sample.books(126...128))
          }
        }
      ]),
    FaultScenario(
      name: "spilling",
      steps: [
        // The cache is too small for the transaction, so pages are written and read before the commit.
        Step("spilling transaction") { _, store in
          try await store.write { db in
            try db.sql("pragma cache_size = 10")
            try db.insert(Sample.books(100...160, text: 3000))
            try db.deleteAll(FaultBook.where { $0.id < 10 })
          }
        }
      ]),
    FaultScenario(
      name: "group-commit", isConcurrent: true,
      steps: (100...105).map { number in Step("save \(number)") { try await $1.save(Sample.books(number...number)[0]) }
      }),
    FaultScenario(
      name: "group-commit-full", configuration: Store.Configuration(durability: .full, busyTimeout: .milliseconds(50)),
      isConcurrent: true,
      steps: (100...105).map { number in Step("save \(number)") { try await $1.save(Sample.books(number...number)[0]) }
      }),
  ]

  private static func mixedChanges(_ db: Transaction) throws {
    try db.insert(Sample.books(100...103))
    try db.update(Sample.books(1...2, text: 3000))
    try db.delete(FaultBook.self, 7)
    try db.updateAll(FaultBook.where { $0.id > 20 }) { $0.title.set("The lake") }
    try db.insert(FaultShelf(id: 9, name: "Shelf 9"))
  }
}
