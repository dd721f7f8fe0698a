import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: attachments in batches")
struct AttachmentFrameTests {
  private let sender = ReplicaID()
  private let bytes = randomBytes(AttachmentPiece.greatestSize + 10, seed: 3)
  private let texts = ["", "x", "y", "small", "some bytes of an attachment"].map { Data($0.utf8) }
  private let digests: [Data: String]

  init() async throws {
    let replica = try Replica.ofPictures()
    var digests: [Data: String] = [:]
    for data in texts + [bytes] { digests[data] = try await replica.store.attach(data).digest }
    self.digests = digests
  }

  private func attachment(_ bytes: Data) -> NamedAttachment {
    NamedAttachment(digest: digests[bytes] ?? "", size: bytes.count)
  }

  private func pieces(_ bytes: Data) -> [AttachmentPiece] {
    let attachment = attachment(bytes)
    return stride(from: 0, to: max(1, bytes.count), by: AttachmentPiece.greatestSize).map { start in
      AttachmentPiece(of: attachment, at: start, Data(bytes.dropFirst(start).prefix(AttachmentPiece.greatestSize)))
    }
  }

  private func written(_ pieces: [AttachmentPiece], key: GroupKey? = nil) throws -> Data {
    let start = ChangeCursor(replica: sender, position: 0)
    var writer = try BatchWriter(
      BatchHeader(since: start, upTo: start, recipient: nil, isLast: true), modelsDigest: Data(), knowledge: [],
      key: key)
    var data = Data()
    for piece in pieces { data.append(try writer.append(piece)) }
    data.append(try writer.finish())
    return data
  }

  private func read(_ data: Data, keys: [GroupKey] = []) throws -> [AttachmentPiece] {
    var (reader, found): (BatchReader, [AttachmentPiece]) = (BatchReader(keys: keys), [])
    reader.append(data)
    while let part = try reader.next() {
      if case .attachment(let piece) = part { found.append(piece) }
    }
    try reader.finish()
    return found
  }

  @Test("S14: pieces arrive as they were written, sealed or not")
  func roundTrip() throws {
    let all = pieces(bytes) + pieces(Data()) + pieces(Data("small".utf8))
    #expect(try read(written(all)) == all)
    let key = GroupKey()
    let sealed = try written(all, key: key)
    #expect(try read(sealed, keys: [key]) == all)
    #expect(sealed.range(of: Data("small".utf8)) == nil)
    #expect(throws: BatchError.self) { try read(sealed, keys: [GroupKey()]) }
  }

  @Test("S14: a writer refuses pieces that aren't in order, too long, or of nothing, and an end in the middle")
  func writing() throws {
    let all = pieces(bytes)
    let (name, other) = (attachment(bytes), attachment(Data("x".utf8)))
    let wrong: [[AttachmentPiece]] = [
      [all[1]], [all[0]], [all[0], all[0]], [all[0]] + pieces(Data("x".utf8)),
      [AttachmentPiece(of: name, at: 0, Data())],
      [AttachmentPiece(of: other, at: 0, Data("xy".utf8))], [AttachmentPiece(of: other, at: -1, Data("x".utf8))],
      [AttachmentPiece(of: NamedAttachment(digest: "zz", size: 1), at: 0, Data("x".utf8))],
      [AttachmentPiece(of: NamedAttachment(digest: name.digest, size: .max), at: .max, Data("x".utf8))],
    ]
    for pieces in wrong {
      let error = #expect(throws: BatchError.self) { try written(pieces) }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test("S22: a changed bit or a cut anywhere in the frame of an attachment is an error with its place")
  func damage() throws {
    let good = try written(pieces(Data("some bytes of an attachment".utf8)))
    for place in good.indices {
      var changed = good
      changed[place] ^= 1
      #expect(throws: BatchError.self) { try read(changed) }
      #expect(throws: BatchError.self) { try read(Data(good.prefix(place))) }
    }
  }

  @Test("S22: an attachment whose bytes have another digest is refused before anything of the file is applied")
  func digest() async throws {
    let replica = try Replica.ofPictures()
    let url = replica.folder.file("changes")
    let name = NamedAttachment(digest: attachment(Data("y".utf8)).digest, size: 1)
    try written([AttachmentPiece(of: name, at: 0, Data("x".utf8))]).write(to: url)
    let error = await #expect(throws: BatchError.self) { try await replica.store.sync.import(from: url) }
    #expect(error?.code == .invalid)
  }

  @Test("S22: an attachment in a batch that is read as a whole is an error, not a trap")
  func wholeBatch() throws {
    let data = try written(pieces(Data("x".utf8)))
    #expect(throws: BatchError.self) { try ChangeBatch(decoding: data) }
  }
}
