internal import CLarderZlib

/// Compresses a stream with deflate (RFC 1951) in chunks; the same bytes produce the same result with the same zlib.
final class Deflater {
  /// In memory that doesn't move, because zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Level 6 and memory level 8 are zlib's defaults; negative means without zlib's header.
    let result = deflateInit2_(
      stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else {
      stream.deallocate()
      throw ArchiveError(.unsupported, "There is no memory to compress a zip file. Try again when there is more.")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// - Parameters:
  ///   - next: Fills a buffer with the next bytes and returns their number; 0 at the end.
  ///   - take: Receives the compressed bytes.
  func deflate(
    _ next: (UnsafeMutableRawBufferPointer) throws -> Int, _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try withUnsafeTemporaryAllocation(byteCount: FileSystem.pieceSize, alignment: 16) { input in
      try withUnsafeTemporaryAllocation(byteCount: FileSystem.pieceSize, alignment: 16) { output in
        while true {
          let count = try next(input)
          stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
          stream.pointee.avail_in = uInt(count)
          repeat {
            stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = uInt(output.count)
            let result = CLarderZlib.deflate(stream, count == 0 ? Z_FINISH : Z_NO_FLUSH)
            guard result != Z_STREAM_ERROR else {
              throw ArchiveError(.inputOutput, "The part cannot be compressed. Try again.")
            }
            let written = output.count - Int(stream.pointee.avail_out)
            if written > 0 { try take(UnsafeRawBufferPointer(rebasing: output[..<written])) }
          } while stream.pointee.avail_out == 0
          if count == 0 { return }
        }
      }
    }
  }
}
