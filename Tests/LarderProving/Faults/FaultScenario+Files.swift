import Foundation
import Larder

extension FaultScenario {
  private typealias Sample = FaultSample

  /// Attachments, backups, opening, changes of the schema, closing.
  static let files: [FaultScenario] = [
    FaultScenario(
      name: "attach",
      steps: [
        Step("attach and save") { _, store in
          let attachment = try await store.attach(picture(1), name: "a.png")
          try await store.updateAll(FaultBook.where { $0.id == 1 }) { $0.cover.set(attachment) }
        },
        Step("attach a stream") { _, store in
          let chunks = AsyncStream<[UInt8]> { continuation in
            for chunk in 0..<4 { continuation.yield([UInt8](repeating: UInt8(chunk), count: 5000)) }
            continuation.finish()
          }
          let attachment = try await store.attach(chunks)
          try await store.write { db in
            var book = Sample.books(2...2)[0]
            book.cover = attachment
            try db.save(book)
          }
        },
      ]),
    FaultScenario(
      name: "attachments", prepare: writeAttachments,
      steps: [
        Step("attach the same bytes") { _, store in
          let attachment = try await store.attach(picture(1))
          try await store.updateAll(FaultBook.where { $0.id == 5 }) { $0.cover.set(attachment) }
        },
        Step("let go") { try await $1.updateAll(FaultBook.where { $0.id == 2 }) { $0.cover.set(nil) } },
        Step("read") { _, store in
          let cover = try await store.find(FaultBook.self, 1)?.cover
          guard let cover, try await store.data(of: cover) == picture(1) else {
            throw WrongAnswer(description: "the bytes of a cover differ")
          }
        },
      ]),
    FaultScenario(
      name: "collecting", prepare: writeAttachments,
      steps: [
        Step("let go") { try await $1.updateAll(FaultBook.where { $0.id <= 2 }) { $0.cover.set(nil) } },
        Step("collect what waits") { _, store in
          guard try await store.collectAttachments(waits: true) == 0 else {
            throw WrongAnswer(description: "bytes went before their time")
          }
        },
        Step("attach again") { _, store in
          let attachment = try await store.attach(picture(1))
          try await store.updateAll(FaultBook.where { $0.id == 1 }) { $0.cover.set(attachment) }
        },
        Step("collect") { try await $1.collectAttachments() },
        Step("read") { _, store in
          for number in [1, 3] {
            let cover = try await store.find(FaultBook.self, number)?.cover
            // The step before may have failed.
            guard let cover else { continue }
            guard try await store.data(of: cover) == picture(UInt8(number)) else {
              throw WrongAnswer(description: "the bytes of a cover differ")
            }
          }
        },
      ]),
    FaultScenario(
      name: "backup", prepare: writeAttachments,
      steps: [Step("backup") { try await $1.backup(to: $0.file("copy.larder")) }],
      inspect: { place, done in
        var problems = FaultInspection.leftovers(place)
        if place.names.contains("copy.larder") {
          problems += try FaultInspection.backup(place.file("copy.larder"), of: place.store)
        } else if done.contains("backup") {
          problems.append("the backup returned and is not there")
        } else if !place.keepsFiles, place.names.contains("copy.larder.attachments") {
          problems.append("a folder of attachments is there without its backup")
        }
        return problems
      }),
    FaultScenario(name: "opening", phase: .opening, steps: [Step("open") { _, _ in }]),
    FaultScenario(name: "opening-after-crash", phase: .opening, leavesLog: true, steps: [Step("open") { _, _ in }]),
    FaultScenario(name: "creating", phase: .opening, prepare: { _ in }, steps: [Step("open") { _, _ in }]),
    FaultScenario(
      name: "migrating", phase: .opening, models: [NewSchema.Entry.self],
      configuration: Store.Configuration(
        busyTimeout: .milliseconds(50),
        migrations: [Migration("drop the note") { try $0.dropColumn("note", of: OldSchema.Entry.self) }]),
      codes: [.migrationFailed],
      prepare: { place in
        let store = try Store(at: place.store, for: OldSchema.Entry.self, FaultProbe.self)
        try await store.insert(
          (0..<30).map { OldSchema.Entry(id: $0, title: "Entry \($0)", note: String(repeating: "n", count: 300)) })
      },
      steps: [Step("open") { _, _ in }],
      inspect: { place, done in
        var problems = FaultInspection.leftovers(place)
        if done.contains("open"), !place.names.contains("test.larder.backup-1") {
          problems.append("a column was dropped without a backup")
        }
        for name in place.names where name.wholeMatch(of: /test\.larder\.backup-\d+/) != nil {
          problems += try FaultInspection.integrity(place.file(name)).map { "\(name): \($0)" }
        }
        return problems
      }),
    FaultScenario(
      name: "adding", phase: .opening, models: [FaultBook.self, FaultToken.self, NewSchema.Entry.self],
      steps: [Step("open") { _, _ in }]),
    FaultScenario(
      name: "closing", phase: .closing, steps: [Step("insert") { try await $1.insert(Sample.books(100...140)) }]),
  ]

  private static func picture(_ number: UInt8) -> Data { Data(repeating: number, count: 20_000) }

  @Sendable private static func writeAttachments(_ place: FaultPlace) async throws {
    try await Sample.write(to: place)
    let store = try Store(at: place.store, for: FaultBook.self, FaultProbe.self)
    for number in 1...3 {
      let attachment = try await store.attach(picture(UInt8(number)))
      try await store.updateAll(FaultBook.where { $0.id == number }) { $0.cover.set(attachment) }
    }
  }

  static let all = verbs + transactions + features + checkpoints + files + sync
}
