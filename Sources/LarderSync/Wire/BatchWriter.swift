internal import Crypto
public import Foundation

/// Writes changes as bytes, piece by piece, so that any number of rows needs little memory.
///
/// ```swift
/// var writer = try BatchWriter(header, modelsDigest: digest, knowledge: knowledge)
/// for row in rows {
///   if let bytes = try writer.append(row) { try file.write(contentsOf: bytes) }
/// }
/// try file.write(contentsOf: writer.finish())
/// ```
///
/// With a key, each frame is sealed for the group that has it: see ``GroupKey``. A writer can't be copied, because two
/// that go on from the same place would use the key twice in the same way.
///
/// A batch that isn't finished is refused by every reader. The format is described in `sync.proto`, which lies beside
/// the source of this type.
public struct BatchWriter: ~Copyable, Sendable {
  /// About how many bytes a frame has, unless a single row has more.
  static let frameSize = 256 << 10
  /// The most rows and values of a frame, unless a single row has more.
  static let (frameRows, frameValues) = (4096, 1 << 16)

  private let header: BatchHeader
  private let compression: BatchCompression
  private let limits: BatchLimits
  private let frameSize: Int
  private var packer: RowPacker
  private var sealer: FrameSealer?
  private var rowCount = 0
  private var checksum: UInt64 = 0
  /// The beginning of the batch, until the first frame takes it along.
  private var pending = Data()

  /// Begins a batch.
  ///
  /// - Parameters:
  ///   - header: Who sends what to whom.
  ///   - modelsDigest: A digest of the sender's models, of at most 64 bytes.
  ///   - knowledge: What the replicas knew of each other, as far as it changed.
  ///   - names: The names of replicas, as far as they changed.
  ///   - key: The key that seals the batch; nil if it isn't sealed.
  ///   - compression: How the frames are compressed. Without a value, sealed batches aren't: the size of what is
  ///     compressed tells something about it, and to someone who can also write into the rows quite a lot.
  ///   - limits: The limits of those who will read the batch.
  /// - Throws: ``BatchError`` `.invalidValue` if the header or the knowledge contradicts itself.
  public init(
    _ header: BatchHeader, modelsDigest: Data, knowledge: [Knowledge], names: [ReplicaName] = [], key: GroupKey? = nil,
    compression: BatchCompression? = nil, limits: BatchLimits = .default
  ) throws {
    try self.init(
      header, BatchOpening(modelsDigest: modelsDigest, knowledge: knowledge, names: names),
      sealing: key.map { Sealing(key: $0) },
      compression: compression ?? (key == nil ? .zlib : .off), limits: limits)
  }

  /// The key of the group, and the random bytes of the batch.
  struct Sealing {
    let key: GroupKey
    var salt = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
  }

  init(
    _ header: BatchHeader, _ opening: BatchOpening, sealing: Sealing? = nil, compression: BatchCompression,
    limits: BatchLimits = .default, frameSize: Int = Self.frameSize
  ) throws {
    var header = header
    header.keyID = sealing?.key.id
    self.header = header
    self.compression = compression
    self.limits = limits
    self.frameSize = frameSize
    packer = RowPacker(sender: header.sender)
    let message = try header.message(compression: compression, salt: sealing?.salt)
    pending = Data(Frame.magic)
    pending.append(Frame.bytes(.header, payload: try message.encoded(), after: &checksum))
    sealer = sealing.map { FrameSealer($0.key, salt: $0.salt, start: pending) }
    do {
      pending.append(try frame(.opening, try opening.message(sender: header.sender).encoded()))
    } catch let problem as BatchError.Problem {
      throw BatchError(.invalidValue, "The batch can't be written: \(problem.expected). Correct what is handed on.")
    }
  }

  /// Adds a row, and returns the bytes to send now; nil if there are none yet.
  ///
  /// - Throws: ``BatchError`` `.invalidValue` if the row contradicts itself or comes a second time, `.limitExceeded` if
  ///   it is too large. The batch can't be continued then.
  public mutating func append(_ row: RowState) throws -> Data? {
    do {
      try packer.append(row)
    } catch {
      throw BatchError(.invalidValue, "The row can't be sent: \(error.expected). Check where its state comes from.")
    }
    rowCount += 1
    guard
      packer.size >= frameSize || packer.count >= Swift.min(Self.frameRows, limits.rows)
        || packer.valueCount >= Swift.min(Self.frameValues, limits.values)
    else { return nil }
    return try takeRows()
  }

  /// Ends the batch, and returns the last bytes to send.
  ///
  /// - Throws: ``BatchError`` `.limitExceeded` if a row is too large.
  public consuming func finish() throws -> Data {
    var bytes = packer.count > 0 ? try takeRows() : takePending()
    var end = WireEnd()
    end.rows = UInt64(rowCount)
    bytes.append(try frame(.end, try end.encoded()))
    return bytes
  }

  private mutating func takeRows() throws -> Data {
    let message: Data = try packer.message.encoded()
    guard message.count <= limits.frameSize - Packing.overhead, packer.valueCount <= limits.values,
      packer.nameCount <= limits.names
    else {
      throw BatchError(
        .limitExceeded,
        "A row is too large to be sent: a frame has \(message.count) bytes, \(packer.valueCount) values and \(packer.nameCount) names, more than the limits allow. Raise BatchLimits on both sides, or keep large values as attachments."
      )
    }
    packer = RowPacker(sender: header.sender)
    var bytes = takePending()
    bytes.append(try frame(.rows, message))
    return bytes
  }

  private mutating func takePending() -> Data {
    defer { pending = Data() }
    return pending
  }

  private mutating func frame(_ kind: Frame.Kind, _ message: Data) throws -> Data {
    let packed = Packing.pack(message, compression)
    return Frame.bytes(kind, payload: try sealer?.seal(packed, kind) ?? packed, after: &checksum)
  }
}
