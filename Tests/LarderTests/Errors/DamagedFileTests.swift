import Foundation
import Larder
import LarderTestSupport
import Testing

@Model
private struct DamagedNote: Hashable {
  var id: Int
  @Attribute(.indexed, .searchable) var title: String
  var amount: Double
  var tags: [String] = ["a", "b"]
}

@Suite("Files that are no store, or a damaged one", .timeLimit(.minutes(20)))
struct DamagedFileTests {
  private let file: StoreFile
  private let notes = (1...300).map { DamagedNote(id: $0, title: "note number \($0)", amount: Double($0) / 2) }

  init() throws {
    file = try StoreFile()
  }

  @Test(
    "text files of any length are left alone",
    arguments: ["Hello, this is a text.\n", String(repeating: "text\n", count: 2000), "xy"])
  func notAStore(text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: file.path))
    for schema in [Store.Configuration.SchemaMode.managed, .existing] {
      try file.expectRefusal(.notAStore) { _ = try Store(at: file.path, for: DamagedNote.self, schema: schema) }
    }
    try file.expectRefusal(.notAStore) { _ = try Store.plan(at: file.path, for: DamagedNote.self) }
  }

  @Test("an empty file becomes a store")
  func empty() throws {
    try Data().write(to: URL(filePath: file.path))
    try file.write(notes)
  }

  @Test("a folder given as the file")
  func folder() throws {
    let path = file.folder.path(percentEncoded: false)
    for attempt in [
      { _ = try Store(at: path, for: DamagedNote.self) }, { _ = try Store.plan(at: path, for: DamagedNote.self) },
    ]
      as [() throws -> Void]
    {
      let error = #expect(throws: StoreError.self, performing: attempt)
      #expect(error?.code == .notAStore)
      #expect(error?.message.contains("folder") == true)
    }
    #expect(try file.names == [])
  }

  @Test("a folder that does not exist")
  func missingFolder() throws {
    let path = file.folder.appending(component: "nowhere").appending(component: "x.larder")
    let error = #expect(throws: StoreError.self) { try Store(at: path, for: DamagedNote.self) }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("nowhere") == true)
  }

  @Test("a backup to a file that exists, and to a folder that does not")
  func backup() async throws {
    let store = try file.open(DamagedNote.self)
    let taken = await #expect(throws: StoreError.self) { try await store.backup(to: file.path) }
    #expect(taken?.code == .duplicate)
    let lost = await #expect(throws: StoreError.self) { try await store.backup(to: file.path + "/x") }
    #expect(lost?.code == .readOnly || lost?.code == .notFound)
    #expect(try await store.count(DamagedNote.all) == 0)
  }

  /// A store of the notes in one file, without a write-ahead log beside it.
  private func wholeFile() throws -> Data {
    let store = try Store(at: file.path, for: DamagedNote.self)
    try store.blocking.insert(notes)
    let copy = file.folder.appending(component: "whole.larder")
    try store.blocking.backup(to: copy)
    return try Data(contentsOf: copy)
  }

  /// Everything that can be read, or the error that refuses it.
  private func read(_ bytes: Data) throws -> Result<[DamagedNote], StoreError> {
    let damaged = try StoreFile()
    try bytes.write(to: URL(filePath: damaged.path))
    do {
      let db = try Store(at: damaged.path, for: DamagedNote.self).blocking
      let rows = try db.fetch(DamagedNote.all.sorted(by: \.id))
      _ = try db.fetch(DamagedNote.search("number").ranked())
      _ = try db.fetch(DamagedNote.where { $0.title == "note number 77" })
      for id in stride(from: 1, through: 300, by: 50) { _ = try db.find(DamagedNote.self, id) }
      return .success(rows)
    } catch let error as StoreError {
      return .failure(error)
    }
  }

  @Test("a store that was cut off anywhere is refused, or whole")
  func truncated() throws {
    let whole = try wholeFile()
    #expect(try read(whole) == .success(notes))
    for seed in 0..<120 {
      var random = SplitMix64(seed: UInt64(seed))
      let length = Int.random(in: 1..<whole.count, using: &random)
      switch try read(whole.prefix(length)) {
      case .success(let rows): #expect(rows == notes, "seed \(seed), \(length) bytes")
      case .failure(let error):
        #expect([.corrupt, .notAStore].contains(error.code), "seed \(seed), \(length) bytes: \(error)")
      }
    }
  }

  /// SQLite keeps no checksums, so a changed letter is a changed letter. What must not happen is a trap, or an error of
  /// another kind.
  @Test("bits that flipped anywhere give rows or a StoreError, never a trap")
  func flipped() throws {
    let whole = try wholeFile()
    var refusals = 0
    for seed in 0..<250 {
      var random = SplitMix64(seed: UInt64(seed))
      var bytes = whole
      // Half of them where the damage is worst: in the header and the schema.
      let range = seed.isMultiple(of: 2) ? 0..<4096 : 0..<whole.count
      for _ in 0..<(1 + seed % 4) {
        bytes[Int.random(in: range, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if case .failure = try read(bytes) { refusals += 1 }
    }
    // Most bits of a page say nothing that its readers could miss: 42 when this was written.
    #expect(refusals > 25, "\(refusals) of 250")
  }

  @Test("pages of noise are refused as damage, and the other pages still answer")
  func noise() throws {
    let whole = try wholeFile()
    var codes = Set<StoreError.Code>()
    for page in 1..<(whole.count / 4096) {
      var bytes = whole
      var random = SplitMix64(seed: UInt64(page))
      for position in (page * 4096)..<((page + 1) * 4096) {
        bytes[position] = UInt8.random(in: 0...255, using: &random)
      }
      if case .failure(let error) = try read(bytes) { codes.insert(error.code) }
    }
    #expect(codes.contains(.corrupt))
    #expect(codes.isSubset(of: [.corrupt, .schemaMismatch, .newerFile, .invalidValue]))
  }
}
