internal import CLarderZlib

/// Decompresses a deflate stream (RFC 1951) in chunks.
final class Inflater {
  /// The stream is invalid, ends too early, or continues beyond its end.
  struct Damage: Error {}

  /// In memory that doesn't move, because zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Negative means without zlib's header. 2^15 is the largest window.
    guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      stream.deallocate()
      throw ArchiveError(.unsupported, "There is no memory to unfold a zip file. Try again when there is more.")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// - Parameters:
  ///   - next: Returns the next compressed bytes; empty at the end.
  ///   - take: Receives the decompressed bytes.
  func inflate(_ next: () throws -> [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    try withUnsafeTemporaryAllocation(byteCount: FileSystem.pieceSize, alignment: 16) { output in
      var hasEnded = false
      while !hasEnded {
        var input = try next()
        guard !input.isEmpty else { throw Damage() }
        hasEnded = try input.withUnsafeMutableBufferPointer { try inflate($0, output, take) }
      }
    }
  }

  /// - Returns: Whether the stream has ended.
  private func inflate(
    _ input: UnsafeMutableBufferPointer<UInt8>, _ output: UnsafeMutableRawBufferPointer,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    stream.pointee.next_in = input.baseAddress
    stream.pointee.avail_in = uInt(input.count)
    repeat {
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = uInt(output.count)
      let result = CLarderZlib.inflate(stream, Z_NO_FLUSH)
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { throw Damage() }
      let count = output.count - Int(stream.pointee.avail_out)
      if count > 0 { try take(UnsafeRawBufferPointer(rebasing: output[..<count])) }
      if result == Z_STREAM_END {
        guard stream.pointee.avail_in == 0 else { throw Damage() }
        return true
      }
      // If the buffer is full, there may be more output even if all input was consumed.
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    return false
  }
}
