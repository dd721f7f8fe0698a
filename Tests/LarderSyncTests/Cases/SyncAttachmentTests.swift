import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

extension Replica {
  /// A replica whose unused attachments don't wait to be deleted.
  static func ofPictures() throws -> Replica {
    var configuration = Store.Configuration(attachmentRetention: .zero)
    configuration.sync = .on
    return try Replica([SharedPicture.self], configuration: configuration)
  }

  func data(of id: String) async throws -> Data {
    let picture = try #require(try await store.find(SharedPicture.self, id))
    return try await store.data(of: try #require(picture.image))
  }

  /// The names of the files with data, and of what has arrived of others.
  func attachmentFiles() throws -> (whole: [String], arriving: [String]) {
    let folder = path + ".attachments"
    guard FileManager.default.fileExists(atPath: folder) else { return ([], []) }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return (names.filter { $0.utf8.count == 65 }, names.filter { $0.hasPrefix("arriving/") })
  }
}

/// Bytes that aren't alike anywhere.
func randomBytes(_ count: Int, seed: UInt64) -> Data {
  var random = SplitMix64(seed: seed)
  return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
}

@Suite("Sync: attachments", .overEachTransport)
struct SyncAttachmentTests {
  private let a: Replica
  private let b: Replica
  /// Two pieces and a half.
  private let large = randomBytes(640 << 10, seed: 1)

  init() throws {
    a = try .ofPictures()
    b = try .ofPictures()
  }

  private func meet() async throws {
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("S14: the bytes of attachments come with the rows that name them, in both directions")
  func bytes() async throws {
    let small = Data("small".utf8)
    let image = try await a.store.attach(large, name: "large", mediaType: "image/png")
    let empty = try await a.store.attach(Data())
    try await a.store.insert(SharedPicture(id: "a", name: "a", image: image, details: [empty, image]))
    try await b.store.insert(SharedPicture(id: "b", name: "b", image: try await b.store.attach(small)))
    try await meet()
    #expect(try await b.data(of: "a") == large)
    #expect(try await a.data(of: "b") == small)
    let details = try #require(try await b.store.find(SharedPicture.self, "a")).details
    #expect(details.map(\.size) == [0, large.count])
    #expect(try await b.store.data(of: details[0]).isEmpty)
    #expect(try await b.store.verifyAttachments().missing.isEmpty)
    #expect(try b.attachmentFiles().arriving.isEmpty)
  }

  @Test("S14: a row that is set aside keeps its bytes, and shows them when it returns")
  func setAside() async throws {
    try await a.store.insert(SharedPicture(id: "a", name: "x", image: try await a.store.attach(Data("a".utf8))))
    try await b.setClock(past: a)
    try await b.store.insert(SharedPicture(id: "b", name: "x", image: try await b.store.attach(large)))
    try await meet()
    #expect(try await b.store.fetch(SharedPicture.all).map(\.id) == ["a"])
    try await a.store.collectAttachments()
    try await b.store.collectAttachments()
    try await a.store.updateAll(SharedPicture.all) { $0.name.set("y") }
    try await meet()
    #expect(try await a.data(of: "b") == large)
    #expect(try await b.data(of: "b") == large)
  }

  @Test("S14: a row that was deleted here and edited there is brought back with its bytes")
  func deletion() async throws {
    try await a.store.insert(SharedPicture(id: "a", name: "a", image: try await a.store.attach(large)))
    try await meet()
    try await a.store.deleteAll(SharedPicture.all)
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedPicture.all) { $0.title.set("edited") }
    try await meet()
    try await a.store.collectAttachments()
    try await b.store.collectAttachments()
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    try await meet()
    #expect(try await a.data(of: "a") == large)
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: of two attachments that replace one, the later is shown, and the other is kept for its conflict")
  func conflict() async throws {
    try await a.store.insert(SharedPicture(id: "a", name: "a"))
    try await meet()
    let (one, two) = (Data("one".utf8), Data("two".utf8))
    let (first, second) = (try await a.store.attach(one), try await b.store.attach(two))
    try await a.store.updateAll(SharedPicture.all) { $0.image.set(first) }
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedPicture.all) { $0.image.set(second) }
    try await meet()
    #expect(try await a.data(of: "a") == two)
    try await a.store.collectAttachments()
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    try await meet()
    #expect(try await a.data(of: "a") == one)
    #expect(try await b.data(of: "a") == one)
  }

  @Test("S14: bytes that nobody names any longer are deleted on both sides")
  func collection() async throws {
    try await a.store.insert(SharedPicture(id: "a", name: "a", image: try await a.store.attach(large)))
    try await meet()
    try await b.store.updateAll(SharedPicture.all) { $0.image.set(nil) }
    try await meet()
    for replica in [a, b] {
      try await replica.store.collectAttachments()
      #expect(try replica.attachmentFiles().whole.isEmpty)
    }
  }
}
