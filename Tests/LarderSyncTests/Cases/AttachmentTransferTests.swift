import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: how attachments travel")
struct AttachmentTransferTests {
  private let a: Replica
  private let b: Replica
  /// Three pieces.
  private let large = randomBytes(640 << 10, seed: 2)

  init() throws {
    a = try .ofPictures()
    b = try .ofPictures()
  }

  private func attach(_ data: Data? = nil) async throws {
    let image = try await a.store.attach(data ?? large)
    try await a.store.save(SharedPicture(id: "a", name: "a", image: image))
  }

  @Test("S14: bytes are sent once, however often the rows that name them change")
  func once() async throws {
    try await attach()
    let peer = PiecePeer(a.store.sync)
    #expect(try await b.store.sync.exchange(with: peer).receivedAttachments == 1)
    #expect(peer.count == 3)
    try await a.store.updateAll(SharedPicture.all) { $0.title.set("new") }
    try await attach()
    #expect(try await b.store.sync.exchange(with: peer).receivedAttachments == 0)
    #expect(peer.count == 3)
    #expect(try await a.store.sync.exchange(with: b.store.sync).sentAttachments == 0)
  }

  @Test("S14: on demand, missing bytes are an error that says where they are, and are fetched when they are wanted")
  func onDemand() async throws {
    try await attach()
    try await a.store.sync.setName("Ada's laptop")
    let report = try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    #expect(report.receivedAttachments == 0 && report.received == 1)
    let image = try #require(try await b.store.find(SharedPicture.self, "a")?.image)
    let replica = try await a.store.sync.replica()
    let reads: [() async throws -> Void] = [
      { _ = try await b.store.data(of: image) }, { _ = try await b.store.url(for: image) },
      { _ = try await b.store.read { try $0.data(of: image) } },
      { for try await _ in b.store.bytes(of: image) {} },
    ]
    for read in reads {
      let error = await #expect(throws: StoreError.self) { try await read() }
      #expect(error?.code == .notFound)
      #expect(error?.message.contains("Ada's laptop") == true && error?.message.contains("\(replica)") == true)
    }
    #expect(try await b.store.sync.awaitedAttachments().map(\.size) == [large.count])
    #expect(try await b.store.check().isHealthy)
    let copy = b.folder.file("copy.larder")
    try await b.store.backup(to: copy)
    try await b.store.sync.fetch(image, from: a.store.sync)
    #expect(try await b.store.data(of: image) == large)
    #expect(try await b.store.sync.awaitedAttachments().isEmpty)
    try await b.store.collectAttachments()
    #expect(try await b.store.verifyAttachments().missing.isEmpty)
  }

  @Test("S14: large attachments wait, small ones come by themselves")
  func limit() async throws {
    try await attach(Data("small".utf8))
    try await a.store.insert(SharedPicture(id: "b", name: "b", image: try await a.store.attach(large)))
    let report = try await b.store.sync.exchange(with: a.store.sync, attachments: .eager(upTo: 1000))
    #expect(report.receivedAttachments == 1)
    #expect(try await b.store.sync.awaitedAttachments().map(\.size) == [large.count])
    #expect(try await b.store.sync.exchange(with: a.store.sync).receivedAttachments == 1)
    #expect(try await b.data(of: "b") == large)
  }

  @Test("S14: an interrupted transfer goes on where it ended, also after the store was closed")
  func resumption() async throws {
    try await attach()
    let breaking = PiecePeer(a.store.sync) { bytes, number in
      if number == 3 { throw PiecePeer.Failure() }
      return bytes
    }
    await #expect(throws: PiecePeer.Failure.self) { try await b.store.sync.exchange(with: breaking) }
    #expect(try await b.store.count(SharedPicture.all) == 0)
    #expect(try await b.store.check().isHealthy)
    let again = try await b.reopened(SharedPicture.self)
    let peer = PiecePeer(a.store.sync)
    try await again.store.sync.exchange(with: peer)
    #expect(peer.count == 1)
    #expect(try await again.data(of: "a") == large)
    #expect(try again.attachmentFiles().arriving.isEmpty)
  }

  @Test("S14: bytes that have arrived but may not be on the disk are placed again, and what is here needs no parts")
  func uncertain() async throws {
    try await attach()
    let image = try await b.store.attach(large)
    let named = NamedAttachment(digest: image.digest, size: image.size)
    let arrivals = URL(fileURLWithPath: b.path + ".attachments/arriving")
    try FileManager.default.createDirectory(at: arrivals, withIntermediateDirectories: true)
    // A part of the bytes, and damaged ones, which came before they were attached here.
    for part in [large.prefix(1000), Data(large.prefix(1000).reversed())] {
      try part.write(to: arrivals.appending(component: image.digest))
      #expect(try await b.store.sync.wanted(among: [named]).isEmpty)
      let next = try await b.store.sync.take(AttachmentPiece(of: named, at: 1000, large.dropFirst(1000).prefix(1000)))
      #expect(next == nil)
      #expect(try b.attachmentFiles().arriving.isEmpty)
    }
    // All of them, as they are left if the disk was full when they were to be placed.
    try large.write(to: arrivals.appending(component: image.digest))
    #expect(try await b.store.sync.wanted(among: [named]) == [named: large.count])
    try await b.store.sync.exchange(
      with: PiecePeer(a.store.sync) { bytes, _ in
        #expect(bytes.isEmpty, "no byte is sent again")
        return bytes
      })
    #expect(try b.attachmentFiles().arriving.isEmpty)
    #expect(try await b.store.sync.wanted(among: [named]).isEmpty)
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: what a peer sends instead of the bytes is discarded, and its rows come all the same")
  func wrongBytes() async throws {
    try await attach()
    let liar = PiecePeer(a.store.sync) { bytes, number in number == 2 ? Data(bytes.reversed()) : bytes }
    let error = await #expect(throws: StoreError.self) { try await b.store.sync.exchange(with: liar) }
    #expect(error?.code == .corrupt)
    #expect(try b.attachmentFiles().arriving.isEmpty && b.attachmentFiles().whole.isEmpty)
    #expect(try await b.store.count(SharedPicture.all) == 1)
    #expect(try await b.store.sync.awaitedAttachments().count == 1)
    try await b.store.sync.exchange(with: a.store.sync)
    #expect(try await b.data(of: "a") == large)
  }

  @Test(
    "S14: endless, overlong and empty pieces are refused",
    arguments: [
      { bytes, _ in bytes + bytes }, { _, _ in Data() }, { _, _ in Data(count: 1 << 20) },
      { bytes, number in number > 2 ? Data(count: AttachmentPiece.greatestSize) : bytes },
    ] as [@Sendable (Data, Int) -> Data])
  func endless(change: @escaping @Sendable (Data, Int) -> Data) async throws {
    try await attach()
    let liar = PiecePeer(a.store.sync, change)
    let error = await #expect(throws: StoreError.self) { try await b.store.sync.exchange(with: liar) }
    #expect(error?.code == .invalidValue)
    #expect(liar.count <= 3)
    #expect(try b.attachmentFiles().whole.isEmpty)
    try await b.store.sync.exchange(with: a.store.sync)
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: a peer without the bytes hands on the row, and the bytes when it has them")
  func relay() async throws {
    let c = try Replica.ofPictures()
    try await attach()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    try await c.store.sync.exchange(with: b.store.sync)
    let image = try #require(try await c.store.find(SharedPicture.self, "a")?.image)
    let error = await #expect(throws: StoreError.self) { try await c.store.sync.fetch(image, from: b.store.sync) }
    #expect(error?.code == .notFound)
    try await b.store.sync.fetch(image, from: a.store.sync)
    #expect(try await c.store.sync.exchange(with: b.store.sync).receivedAttachments == 1)
    #expect(try await c.data(of: "a") == large)
  }

  @Test("S14: a file carries bytes once, leaves them out on demand, and takes along those that came late")
  func files() async throws {
    let url = a.folder.file("changes")
    try await attach()
    let first = try await a.store.sync.export(to: url)
    #expect(first.size > large.count)
    try await b.store.sync.import(from: url, attachments: .onDemand)
    #expect(try await b.store.sync.awaitedAttachments().count == 1)
    #expect(try await b.store.sync.export(to: url).size < 10_000)
    let before = try await b.store.sync.export(to: url)
    let c = try Replica.ofPictures()
    try await c.store.sync.import(from: url)
    try await b.store.sync.exchange(with: a.store.sync)
    try await b.store.sync.export(to: url, since: before.upTo)
    try await c.store.sync.import(from: url)
    #expect(try await c.data(of: "a") == large)
    try await a.store.updateAll(SharedPicture.all) { $0.title.set("new") }
    #expect(try await a.store.sync.export(to: url, since: first.upTo).size < 10_000)
    #expect(try await a.store.sync.export(to: url, attachments: .onDemand).size < 10_000)
  }

  @Test(
    "S14: bytes that are here, but whose arrival wasn't recorded, are taken along by the next file",
    arguments: ["export", "exchange", "import"])
  func unrecordedArrival(step: String) async throws {
    let (url, next) = (a.folder.file("changes"), b.folder.file("changes"))
    try await attach()
    try await a.store.sync.export(to: url)
    try await b.store.sync.import(from: url, attachments: .onDemand)
    let before = try await b.store.sync.export(to: next)
    let c = try Replica.ofPictures()
    try await c.store.sync.import(from: next)
    // As if the process had ended after the bytes were placed.
    _ = try await b.store.attach(large)
    if step == "exchange" { try await b.store.sync.exchange(with: a.store.sync) }
    if step == "import" { try await b.store.sync.import(from: url) }
    try await b.store.sync.export(to: next, since: before.upTo)
    try await c.store.sync.import(from: next)
    #expect(try await c.data(of: "a") == large)
    let after = try await b.store.sync.export(to: next)
    #expect(try await b.store.sync.export(to: next, since: after.upTo).size < 10_000)
  }

  @Test("S14: of very many attachments that are awaited, the one that is here is taken along by the next file")
  func arrivalAmongMany() async throws {
    let (url, next) = (a.folder.file("changes"), b.folder.file("changes"))
    try await attach()
    try await a.store.sync.export(to: url)
    try await b.store.sync.import(from: url, attachments: .onDemand)
    let before = try await b.store.sync.export(to: next)
    let c = try Replica.ofPictures()
    try await c.store.sync.import(from: next)
    try await b.store.writingModule { connection in
      try connection.run(
        """
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 50000)
        INSERT INTO \(SyncTables.attachments) (digest, size) SELECT printf('%064x', number), 1 FROM numbers
        """)
    }
    _ = try await b.store.attach(large)
    try await b.store.sync.export(to: next, since: before.upTo)
    try await c.store.sync.import(from: next)
    #expect(try await c.data(of: "a") == large)
  }

  @Test("S14: a store that can't write hands out bytes whose arrival wasn't recorded")
  func unrecordedReadOnly() async throws {
    try await attach()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    try await b.store.sync.export(to: b.folder.file("before"))
    _ = try await b.store.attach(large)
    await b.store.close()
    let reader = try Store(
      at: b.path, for: SharedPicture.self, configuration: Store.Configuration(access: .readOnly))
    let file = try await reader.sync.export(to: b.folder.file("changes"))
    await reader.close()
    let c = try Replica.ofPictures()
    try await c.store.sync.import(from: file.url)
    #expect(try await c.data(of: "a") == large)
  }

  private func settle(_ attachments: [NamedAttachment], in replica: Replica) async throws {
    try await replica.store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).settleAwaited(attachments) }
    }
  }

  @Test("S14: a row that comes while an exchange finds that nobody needs its bytes still waits for them")
  func namedMeanwhile() async throws {
    try await attach()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    let awaited = try await b.store.sync.awaitedAttachments()
    // As if they had been found without a use before the row came.
    try await settle(awaited, in: b)
    #expect(try await b.store.sync.awaitedAttachments() == awaited)
    #expect(try await b.store.sync.exchange(with: a.store.sync).receivedAttachments == 1)
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: bytes that no row uses any longer aren't awaited")
  func unused() async throws {
    try await attach()
    try await b.store.sync.exchange(with: a.store.sync, attachments: .onDemand)
    try await b.store.updateAll(SharedPicture.all) { $0.image.set(nil) }
    #expect(try await b.store.readingModule { try ReplicaFile($0).awaitedDigests() }.count == 1)
    #expect(try await b.store.sync.wanted(among: []).isEmpty)
    #expect(try await b.store.readingModule { try ReplicaFile($0).awaitedDigests() }.isEmpty)
  }

  @Test("S14: a model that this program lacks is handed on with its bytes")
  func unknownModel() async throws {
    let older = try Replica([SharedKind.self])
    try await attach()
    try await a.exchange(with: older)
    try await older.store.collectAttachments()
    try await older.exchange(with: b)
    #expect(try await b.data(of: "a") == large)
  }

  @Test("S14: after off and on, the uses of attachments are counted as before")
  func counting() async throws {
    try await attach()
    try await a.store.deleteAll(SharedPicture.all)
    try await a.store.collectAttachments()
    #expect(try a.attachmentFiles().whole.count == 1)
    try await a.store.sync.disable()
    try await a.store.collectAttachments()
    #expect(try a.attachmentFiles().whole.isEmpty)
  }

  @Test("S14: bytes that a deletion and a conflict have named stay while a row names them")
  func recount() async throws {
    let text = Data("later".utf8)
    let digest = try await b.store.attach(text).digest
    let lookalike = #"{"larder.attachment":"\#(digest)","size":5}"#
    try await a.store.insert(SharedPicture(id: "t", name: "t", title: lookalike))
    try await a.store.deleteAll(SharedPicture.all)
    // Only now the digest is that of an attachment.
    try await attach(text)
    try await a.store.sync.setRetention(.zero)
    #expect(try await a.store.sync.forgetDeletions() == 1)
    try await a.store.collectAttachments()
    #expect(try await a.data(of: "a") == text)
  }

  @Test("S14: a text that looks like an attachment keeps nobody from deleting the row")
  func lookalike() async throws {
    try await attach()
    let text = #"{"larder.attachment":"\#(String(repeating: "0", count: 64))","size":3}"#
    try await a.store.insert(SharedPicture(id: "t", name: "t", title: text))
    try await a.exchange(with: b)
    try await b.store.deleteAll(SharedPicture.where { $0.id == "t" })
    try await a.exchange(with: b)
    #expect(try await a.store.count(SharedPicture.all) == 1)
  }
}
