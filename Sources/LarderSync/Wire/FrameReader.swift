internal import Foundation

/// Splits a stream of bytes into frames, and checks their lengths and checksums. It holds one frame at a time.
struct FrameReader {
  /// A frame as it arrived.
  struct Arrived {
    let kind: Frame.Kind
    /// Where it begins.
    let offset: Int
    let payload: Data
    /// The bytes of the whole frame.
    let size: Int
  }

  private let limits: BatchLimits
  /// Bytes that arrived, and how many of them are done with.
  private var buffer = Data()
  private var start = 0
  /// Where the buffer begins in the batch.
  private var base = 0
  private(set) var checksum: UInt64 = 0
  private var expected: [Frame.Kind] = [.header]
  private var hasMagic = false

  init(limits: BatchLimits) {
    self.limits = limits
  }

  /// Whether the end arrived.
  var isAtEnd: Bool { expected.isEmpty }
  /// Where the next frame begins.
  private var offset: Int { base + start }
  /// The number of bytes that arrived and aren't done with.
  var available: Int { buffer.count - start }

  /// Adds bytes that arrived. Copies what isn't done with yet.
  mutating func append(_ chunk: Data) {
    buffer.removeSubrange(buffer.startIndex..<buffer.startIndex + start)
    base += start
    start = 0
    buffer.append(chunk)
  }

  /// Returns the next frame, or nil if it isn't there as a whole.
  mutating func next() throws(BatchError) -> Arrived? {
    guard !isAtEnd else {
      guard available == 0 else {
        throw BatchError(.damaged, offset: offset, "There are bytes after the end of the batch. Have it sent again.")
      }
      return nil
    }
    guard try readMagic(), available >= Frame.prefixSize else { return nil }
    let prefix = bytes(Frame.prefixSize)
    let kind = try kind(of: prefix)
    let length = Int(clamping: prefix.bigEndian(UInt32.self, at: 4))
    let most = kind == .header ? BatchHeader.mostBytes : limits.frameSize
    guard length <= most else {
      throw BatchError(
        .limitExceeded, offset: offset,
        "The \(kind.name) claims to have \(length) bytes, and the limit is \(most). Have it sent again if it was changed; raise BatchLimits.frameSize if you trust the sender."
      )
    }
    let size = Frame.prefixSize + length
    guard available >= size else { return nil }
    let payload = Data(bytes(size).dropFirst(Frame.prefixSize))
    let sum = Frame.checksum(of: Data(prefix.prefix(Frame.checkedSize)), payload, after: checksum)
    guard prefix.bigEndian(UInt64.self, at: Frame.checkedSize) == sum else {
      throw BatchError(
        .damaged, offset: offset,
        "The checksum of the \(kind.name) isn't that of its bytes and of the frame before. Have the batch sent again.")
    }
    defer { start += size }
    checksum = sum
    expected =
      switch kind {
      case .header: [.opening]
      case .opening, .rows: [.rows, .attachment, .end]
      case .attachment: [.attachment, .end]
      case .end: []
      }
    return Arrived(kind: kind, offset: offset, payload: payload, size: size)
  }

  /// Throws `.damaged` or `.notABatch` if the batch isn't whole.
  func finish() throws(BatchError) {
    guard !isAtEnd else { return }
    guard hasMagic else { throw Self.notABatch }
    throw BatchError(
      .damaged, offset: offset + available,
      "The batch ends here, and \(expectation) was to come. Have it sent again.")
  }

  private static let notABatch = BatchError(
    .notABatch, offset: 0, "The bytes don't begin like a batch of changes. Read what a BatchWriter wrote.")

  private var expectation: String {
    let names = expected.map { $0 == .end ? "the end" : "a \($0.name)".replacing("a opening", with: "an opening") }
    return available == 0 ? names.joined(separator: " or ") : "the rest of \(names.joined(separator: " or "))"
  }

  private func bytes(_ count: Int) -> Data {
    buffer[(buffer.startIndex + start)...].prefix(count)
  }

  private mutating func readMagic() throws(BatchError) -> Bool {
    if hasMagic { return true }
    guard Frame.magic.starts(with: bytes(Frame.magic.count)) else { throw Self.notABatch }
    guard available >= Frame.magic.count else { return false }
    start += Frame.magic.count
    hasMagic = true
    return true
  }

  private func kind(of prefix: Data) throws(BatchError) -> Frame.Kind {
    guard let kind = Frame.Kind(rawValue: prefix.bigEndian(UInt8.self, at: 0)), expected.contains(kind),
      prefix.bigEndian(UInt32.self, at: 0) & 0xff_ffff == 0
    else {
      throw BatchError(
        .damaged, offset: offset, "Here \(expectation) was expected. Have the batch sent again.")
    }
    return kind
  }
}
