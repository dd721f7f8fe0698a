public import Foundation

/// What everybody may see of a batch, even if it is sealed: who sends, to whom, from where to where.
public struct BatchHeader: Sendable, Hashable {
  /// Where the changes begin: those up to this cursor are left out. Its replica is the sender.
  public let since: ChangeCursor
  /// Where they end. Its replica is the sender.
  public let upTo: ChangeCursor
  /// The replica for which the changes were collected; nil if they are for everybody.
  public let recipient: ReplicaID?
  /// Whether the sender has nothing after ``upTo``.
  public let isLast: Bool
  /// The identifier of the group key that seals the batch; nil if it isn't sealed.
  public internal(set) var keyID: Data?
  /// The position of the last deletion that the sender has forgotten; zero if it has forgotten none. Who has its changes up
  /// to an earlier position may have rows that were deleted.
  public internal(set) var forgotten: Int64 = 0
  /// Up to which position the sender has the changes of the ``recipient``; zero if it has none.
  public internal(set) var received: Int64 = 0

  /// Creates the header of a batch.
  ///
  /// - Parameters:
  ///   - since: Where the changes begin.
  ///   - upTo: Where they end.
  ///   - recipient: The replica for which the changes were collected; nil if they are for everybody.
  ///   - isLast: Whether the sender has nothing after `upTo`.
  public init(since: ChangeCursor, upTo: ChangeCursor, recipient: ReplicaID?, isLast: Bool) {
    self.since = since
    self.upTo = upTo
    self.recipient = recipient
    self.isLast = isLast
  }

  /// The replica that sends.
  public var sender: ReplicaID { upTo.replica }
}

/// How the frames of a batch are compressed.
public enum BatchCompression: Sendable, Hashable, CaseIterable {
  /// They aren't.
  case off
  /// By zlib, where that makes them smaller.
  case zlib
}

extension BatchHeader {
  /// The newest version of the format.
  static let formatVersion: UInt32 = 1
  /// The most bytes of a header, which leave room for fields of later versions.
  static let mostBytes = 4096
  /// The number of bytes of a salt.
  static let saltSize = 32

  /// The header as a message.
  ///
  /// - Parameters:
  ///   - compression: How the frames are compressed.
  ///   - salt: The salt of the key, if the batch is sealed.
  /// - Throws: `.invalidValue` if the cursors contradict each other.
  func message(compression: BatchCompression, salt: Data?) throws(BatchError) -> WireHeader {
    guard since.replica == upTo.replica, since.position >= 0, since.position <= upTo.position else {
      throw BatchError(
        .invalidValue, "A batch ends before it begins, or its cursors are of two replicas. Collect it from one replica."
      )
    }
    var message = WireHeader()
    message.version = Self.formatVersion
    message.sender = sender.bytes
    message.recipient = recipient?.bytes ?? Data()
    message.since = UInt64(since.position)
    message.upTo = UInt64(upTo.position)
    message.isLast = isLast
    message.compression =
      switch compression {
      case .off: .none
      case .zlib: .zlib
      }
    message.keyID = keyID ?? Data()
    message.salt = salt ?? Data()
    message.forgotten = UInt64(clamping: forgotten)
    message.received = UInt64(clamping: received)
    return message
  }

  /// The header of a message.
  init(_ message: WireHeader) throws(BatchError.Problem) {
    func position(_ number: UInt64) throws(BatchError.Problem) -> Int64 {
      guard let position = Int64(exactly: number) else { throw .init("a position has more than 63 bits") }
      return position
    }
    guard let sender = ReplicaID(message.sender) else { throw .init("the sender doesn't have 16 bytes") }
    since = ChangeCursor(replica: sender, position: try position(message.since))
    upTo = ChangeCursor(replica: sender, position: try position(message.upTo))
    guard since.position <= upTo.position else { throw .init("the changes end before they begin") }
    recipient = ReplicaID(message.recipient)
    guard recipient != nil || message.recipient.isEmpty else { throw .init("the recipient doesn't have 16 bytes") }
    isLast = message.isLast
    forgotten = try position(message.forgotten)
    received = try position(message.received)
    keyID = message.keyID.isEmpty ? nil : message.keyID
    guard message.keyID.isEmpty || message.keyID.count == ReplicaID.byteCount else {
      throw .init("the identifier of the key doesn't have 16 bytes")
    }
    guard message.salt.count == (keyID == nil ? 0 : Self.saltSize) else {
      throw .init("the salt doesn't have 32 bytes, or is there without a key")
    }
  }
}

extension WireHeader {
  /// Reads the message of a header, and refuses versions that this one doesn't know.
  static func checked(_ payload: Data) throws(BatchError.Problem) -> WireHeader {
    let message = try decoded(payload, ignoresUnknownFields: true)
    guard message.version <= BatchHeader.formatVersion else {
      throw .init(
        "version \(message.version) of the format is named, and this program knows versions up to \(BatchHeader.formatVersion)",
        code: .newerVersion)
    }
    guard message.version > 0 else { throw .init("the version is missing") }
    return message
  }
}
