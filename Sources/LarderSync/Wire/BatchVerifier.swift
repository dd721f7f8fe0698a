public import Foundation

/// Checks that a batch is whole without opening it: for those who relay batches that they can't read, or needn't.
///
/// It checks lengths, order and checksums, and reads the header. It doesn't check that the group sealed the batch, nor
/// anything of its contents. It holds one frame at a time.
public struct BatchVerifier: Sendable {
  private var frames: FrameReader
  private var header: BatchHeader?
  private var failure: BatchError?

  /// Creates a verifier.
  ///
  /// - Parameter limits: The limits of the batch, of which the size of a frame counts.
  public init(limits: BatchLimits = .default) {
    frames = FrameReader(limits: limits)
  }

  /// Checks bytes that arrived.
  ///
  /// - Parameter chunk: The bytes, of any number.
  /// - Throws: ``BatchError``, whose ``BatchError/offset`` says where the batch breaks a rule.
  public mutating func append(_ chunk: Data) throws {
    if let failure { throw failure }
    do throws(BatchError) {
      frames.append(chunk)
      while let frame = try frames.next() {
        if frame.kind == .header { header = try Self.header(of: frame) }
      }
    } catch {
      failure = error
      throw error
    }
  }

  /// Returns the header of the batch, if it is whole.
  ///
  /// - Throws: ``BatchError`` `.damaged` if it isn't, `.notABatch` if it hasn't even begun.
  public func finish() throws -> BatchHeader {
    if let failure { throw failure }
    try frames.finish()
    guard let header else { preconditionFailure("every whole batch has a header") }
    return header
  }

  private static func header(of frame: FrameReader.Arrived) throws(BatchError) -> BatchHeader {
    do throws(BatchError.Problem) {
      return try BatchHeader(try WireHeader.checked(frame.payload))
    } catch {
      throw error.error(at: frame.offset, in: frame.kind.name)
    }
  }
}
