import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

/// What carries changes from one replica to another.
enum Transport: String, CaseIterable, Sendable {
  case inProcess, bytes, files, sealedFiles, folder, sealedFolder

  fileprivate static let key = GroupKey()

  /// Whether it keeps a message until it was read. Others forget it, and the sender sends it again.
  var keepsMessages: Bool { self == .folder || self == .sealedFolder }
}

/// A transport at work, in a folder of its own.
struct Carriage {
  private let transport: Transport
  private let folder: TemporaryFolder
  private let interruption: Interruption?

  init(_ transport: Transport, in folder: TemporaryFolder, _ interruption: Interruption?) {
    (self.transport, self.folder, self.interruption) = (transport, folder, interruption)
  }

  private var keys: [GroupKey] {
    switch transport {
    case .inProcess, .bytes, .files, .folder: []
    case .sealedFiles, .sealedFolder: [Transport.key]
    }
  }

  /// Hands both replicas what they lack: first the one, then the other.
  ///
  /// Files and folders bring changes only. A replica that was away for too long is told so, and then exchanges directly.
  @discardableResult
  func exchange(_ one: Replica, _ other: Replica) async throws -> ExchangeReport {
    let (left, right) = (one.store.sync, other.store.sync)
    switch transport {
    case .inProcess: return try await left.exchange(with: interrupted(right))
    case .bytes: return try await left.exchange(with: interrupted(BytesPeer(peer: right)))
    case .files, .sealedFiles:
      guard let received = try await send(right, left) else { return try await left.exchange(with: right) }
      var report = ExchangeReport()
      let sent = try await send(left, right)
      (report.received, report.setAside) = (received.arrived.changed, received.arrived.setAside)
      (report.sent, report.peerMustStartAfresh) = (sent?.file.rows ?? 0, sent == nil)
      return report
    case .folder, .sealedFolder:
      let toLeft = interrupted(try await peer(of: left, for: right))
      if try await right.exchange(with: toLeft).peerMustStartAfresh { return try await left.exchange(with: right) }
      let report = try await left.exchange(with: interrupted(try await peer(of: right, for: left)))
      if !report.peerMustStartAfresh { try await right.exchange(with: toLeft) }
      return report
    }
  }

  private func interrupted(_ peer: any SyncPeer) -> any SyncPeer {
    interruption.map { FailingPeer(peer, $0) } ?? peer
  }

  private func peer(of other: StoreSync, for own: StoreSync) async throws -> SharedFolder {
    SharedFolder(folder: folder.url, own: try await own.replica(), other: try await other.replica(), keys: keys)
  }

  /// Sends a file; nil if the recipient was away for too long.
  private func send(
    _ sender: StoreSync, _ recipient: StoreSync
  ) async throws -> (file: SyncFile, arrived: ImportReport)? {
    let url = folder.file("\(UUID().uuidString).larder-sync")
    try await interruption?.count()
    let file: SyncFile
    do {
      file = try await sender.export(to: url, for: recipient.replica(), key: keys.first)
    } catch let error as StoreError where error.code == .notFound {
      return nil
    }
    try await interruption?.count()
    let arrived = try await recipient.import(from: url, keys: keys)
    try await interruption?.count()
    return (file, arrived)
  }

  /// Hands a replica one message.
  func deliver(_ batch: ChangeBatch, to recipient: Replica, damage: (inout Data) -> Void) async throws {
    let sync = recipient.store.sync
    if transport == .inProcess {
      try await sync.apply(batch)
      return
    }
    var bytes = try batch.encoded(key: keys.first)
    damage(&bytes)
    switch transport {
    case .inProcess, .bytes: try await sync.apply(try ChangeBatch(decoding: bytes, keys: keys))
    case .files, .sealedFiles:
      let url = folder.file("\(UUID().uuidString).larder-sync")
      try bytes.write(to: url)
      try await sync.import(from: url, keys: keys)
    case .folder, .sealedFolder:
      let own = try await sync.replica()
      let place = folder.url.appending(component: "\(batch.sender)-\(own)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try bytes.write(to: place.appending(component: "\(batch.since.position)-\(batch.upTo.position)"))
      try await sync.exchange(with: SharedFolder(folder: folder.url, own: own, other: batch.sender, keys: keys))
    }
  }
}

/// A peer whose batches travel as bytes, sealed.
struct BytesPeer: SyncPeer {
  let peer: StoreSync
  private let key = GroupKey()

  init(peer: StoreSync) {
    self.peer = peer
  }

  func replica() async throws -> ReplicaID { try await peer.replica() }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try sent(try await peer.changes(after: cursor, for: recipient, limit: limit))
  }

  func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(try sent(batch)) }

  func forgotten() async throws -> Int64 { try await peer.forgotten() }

  func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] {
    try await peer.wanted(among: attachments)
  }

  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    guard let bytes = try await peer.attachment(attachment, from: offset) else { return nil }
    return try sent(AttachmentPiece(of: attachment, at: offset, bytes)).bytes
  }

  func take(_ piece: AttachmentPiece) async throws -> Int? { try await peer.take(try sent(piece)) }

  private func sent(_ piece: AttachmentPiece) throws -> AttachmentPiece {
    let encoded = try piece.encoded(from: ReplicaID(), key: key)
    let arrived = try AttachmentPiece(decoding: encoded, of: piece.attachment, at: piece.offset, keys: [key])
    #expect(arrived == piece)
    return arrived
  }

  private func sent(_ batch: ChangeBatch) throws -> ChangeBatch {
    let arrived = try ChangeBatch(decoding: try batch.encoded(key: key), keys: [key])
    #expect(arrived == batch)
    return arrived
  }
}
