import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderSync

extension Replica {
  /// Adds a picture that names the bytes of another one with a size that isn't theirs.
  fileprivate func insertLie(_ id: String, about image: Attached, size: Int) async throws {
    try await store.insert(SharedPicture(id: id, name: id, image: image))
    let lie = #"{"larder.attachment":"\#(image.digest)","size":\#(size)}"#
    try await store.sql("UPDATE SharedPicture SET image = \(lie) WHERE id = \(id)")
  }
}

@Suite("Sync: sizes of attachments that aren't true", .overEachTransport)
struct UntrueSizeTests {
  @Test("S14: a row that lies about the size of its bytes keeps no other row from them")
  func sizes() async throws {
    let (a, b) = (try Replica.ofPictures(), try Replica.ofPictures())
    let large = randomBytes(300 << 10, seed: 3)
    let image = try await a.store.attach(large)
    for (number, size) in [0, 5, large.count - 1, large.count + 1, 1 << 40, .max].enumerated() {
      try await a.insertLie("lie \(number)", about: image, size: size)
    }
    try await a.exchange(with: b)
    try await a.store.insert(SharedPicture(id: "a", name: "a", image: image))
    for _ in 0..<2 {
      try await a.exchange(with: b)
      try await b.exchange(with: a)
    }
    #expect(try await b.data(of: "a") == large)
    #expect(try await b.store.sync.awaitedAttachments().isEmpty)
    try await expectEqual([a, b])
  }
}

/// A peer that takes no bytes, and wants attachments that there can't be.
private struct WantingPeer: SyncPeer {
  let peer: StoreSync
  let wanted: [NamedAttachment: Int]
  let next: @Sendable (AttachmentPiece) -> Int?

  func replica() async throws -> ReplicaID { try await peer.replica() }
  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }
  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try await peer.changes(after: cursor, for: recipient, limit: limit)
  }
  func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(batch) }
  func wanted(among attachments: [NamedAttachment]) -> [NamedAttachment: Int] { wanted }
  func take(_ piece: AttachmentPiece) -> Int? { next(piece) }
}

@Suite("Sync: peers that lie about attachments")
struct LyingAttachmentTests {
  private let a: Replica
  private let b: Replica
  /// Three pieces.
  private let large = randomBytes(640 << 10, seed: 2)

  init() throws {
    a = try .ofPictures()
    b = try .ofPictures()
  }

  private func attach() async throws -> Attached {
    let image = try await a.store.attach(large)
    try await a.store.save(SharedPicture(id: "a", name: "a", image: image))
    return image
  }

  @Test("S14: a larger size that came first, or last, hides none of the true ones", arguments: [false, true])
  func largerSize(comesFirst: Bool) async throws {
    let image = try await attach()
    let liar = try Replica.ofPictures()
    _ = try await liar.store.attach(large)
    try await liar.insertLie("lie", about: image, size: .max)
    for peer in comesFirst ? [liar, a] : [a, liar] {
      try await b.store.sync.exchange(with: peer.store.sync, attachments: .onDemand)
    }
    #expect(Set(try await b.store.sync.awaitedAttachments().map(\.size)) == [large.count, .max])
    #expect(try await b.store.sync.exchange(with: a.store.sync).receivedAttachments == 1)
    #expect(try await b.data(of: "a") == large)
    #expect(try await b.store.sync.awaitedAttachments().isEmpty)
  }

  @Test("S14: an arrival that is found later has the true size")
  func sizeOfArrival() async throws {
    let image = try await attach()
    for (number, size) in [5, Int.max].enumerated() { try await a.insertLie("lie \(number)", about: image, size: size) }
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    _ = try await b.store.attach(large)
    #expect(try await b.store.sync.wanted(among: []).isEmpty)
    let arrived = try await b.store.readingModule { try ReplicaFile($0).arrivedAttachments(after: 0, upTo: .max) }
    #expect(arrived == [NamedAttachment(digest: image.digest, size: large.count)])
  }

  private func receiveGarbage(_ replica: Replica) async throws {
    let liar = PiecePeer(a.store.sync) { bytes, number in
      if number == 3 { throw PiecePeer.Failure() }
      return Data(bytes.reversed())
    }
    await #expect(throws: PiecePeer.Failure.self) { try await replica.store.sync.exchange(with: liar) }
    #expect(try replica.attachmentFiles().arriving.count == 1)
  }

  @Test("S14: what a liar has sent of an attachment is no fault of the honest peer, or of a file")
  func garbage() async throws {
    let image = try await attach()
    let (c, d) = (try Replica.ofPictures(), try Replica.ofPictures())
    for replica in [b, c, d] { try await receiveGarbage(replica) }
    try await b.store.sync.exchange(with: a.store.sync)
    try await c.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    try await c.store.sync.fetch(image, from: a.store.sync)
    try await d.store.sync.import(from: a.store.sync.export(to: a.folder.file("changes")).url)
    for replica in [b, c, d] {
      #expect(try await replica.data(of: "a") == large)
      #expect(try replica.attachmentFiles().arriving.isEmpty)
    }
  }

  @Test(
    "S14: wishes for attachments that there can't be are refused, after the rows have gone",
    arguments: [
      ("size", -1, 0), ("size", .min, 0), ("digest", 5, 0), ("offset", 640 << 10, -1), ("offset", 640 << 10, .max),
    ] as [(String, Int, Int)])
  func wishes(kind: String, size: Int, offset: Int) async throws {
    let image = try await attach()
    let name = NamedAttachment(digest: kind == "digest" ? "../../etc/passwd" : image.digest, size: size)
    let liar = WantingPeer(peer: b.store.sync, wanted: [name: offset]) { _ in nil }
    let error = await #expect(throws: StoreError.self) { try await a.store.sync.exchange(with: liar) }
    #expect(error?.code == .invalidValue)
    #expect(try await b.store.count(SharedPicture.all) == 1)
    #expect(try await a.store.sync.attachment(name, from: offset) == nil)
  }

  @Test("S14: a peer that never has enough gets each attachment once, and one that goes back ends the transfer")
  func endlessWishes() async throws {
    let image = try await attach()
    let pieces = Atomic<Int>(0)
    let name = NamedAttachment(digest: image.digest, size: image.size)
    let greedy = WantingPeer(peer: b.store.sync, wanted: [name: 0]) { piece in
      pieces.add(1, ordering: .relaxed)
      return piece.end < piece.attachment.size ? piece.end : nil
    }
    #expect(try await a.store.sync.exchange(with: greedy).sentAttachments == 1)
    #expect(pieces.load(ordering: .relaxed) == 3)
    let restless = WantingPeer(peer: b.store.sync, wanted: [name: 0]) { _ in
      pieces.add(1, ordering: .relaxed)
      return 0
    }
    await #expect(throws: StoreError.self) { try await a.store.sync.exchange(with: restless) }
    #expect(pieces.load(ordering: .relaxed) == 5)
  }

  @Test("S14: names of bytes that nobody has don't hide those that a peer has")
  func hidden() async throws {
    _ = try await attach()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    let liar = ReplicaID()
    let stamp = try #require(Stamp(milliseconds: 1, counter: 0, replica: liar))
    let names = (0..<1500).map { number in
      let digits = String(number, radix: 16)
      return #"{"larder.attachment":"\#(String(repeating: "0", count: 64 - digits.count))\#(digits)","size":1}"#
    }
    let details = PropertyState(
      name: "details", value: .init("[\(names.joined(separator: ","))]"), stamp: stamp, causalLength: 1)
    let row = RowState(
      table: "SharedPicture", key: [.init("lie")], causalLength: 1, stamp: stamp, insertion: stamp,
      properties: [details])
    try await b.store.sync.apply(
      ChangeBatch(
        since: ChangeCursor(replica: liar, position: 0), upTo: ChangeCursor(replica: liar, position: 1),
        recipient: nil, isLast: true, modelsDigest: Data(), rows: [row], knowledge: []))
    // A thousand are asked for at a time, each time others.
    var rounds = 0
    while try await b.store.sync.exchange(with: a.store.sync).receivedAttachments == 0, rounds < 60 { rounds += 1 }
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: everything that is awaited comes with one exchange, however much it is")
  func many() async throws {
    var pictures: [SharedPicture] = []
    for number in 0..<1010 {
      let image = try await a.store.attach(Data("\(number)".utf8))
      pictures.append(SharedPicture(id: "\(number)", name: "\(number)", image: image))
    }
    try await a.store.insert(pictures)
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    #expect(try await b.store.sync.exchange(with: a.store.sync).receivedAttachments == 1010)
    #expect(try await b.store.sync.awaitedAttachments().isEmpty)
  }

  @Test("S14: parts of attachments that nobody waits for stay for a day, because more may be under way")
  func oldParts() async throws {
    _ = try await attach()
    let breaking = PiecePeer(a.store.sync) { bytes, number in
      if number == 2 { throw PiecePeer.Failure() }
      return bytes
    }
    await #expect(throws: PiecePeer.Failure.self) { try await b.store.sync.exchange(with: breaking) }
    let part = try #require(try b.attachmentFiles().arriving.first)
    let path = b.path + ".attachments/" + part
    try await b.store.sync.forgetDeletionsDaily(after: 0)
    #expect(FileManager.default.fileExists(atPath: path))
    let old = Date(timeIntervalSinceNow: -2 * 24 * 60 * 60)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    try await b.store.sync.forgetDeletionsDaily(after: 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
