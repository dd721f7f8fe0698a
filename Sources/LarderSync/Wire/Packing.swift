internal import CLarderZlib
internal import Foundation

/// The packed form of a message, with or without compression.
enum Packing {
  /// The first byte of a packed message.
  private enum Method: UInt8 {
    case asItIs = 0
    case zlib = 1
  }

  /// Messages below this size aren't compressed, because nothing is gained.
  private static let smallest = 64
  /// No stream of zlib is longer than 1,032 times its compressed form (<https://zlib.net/zlib_tech.html>).
  private static let greatestRatio = 1100
  /// The most bytes by which the payload of a frame is longer than the message, sealed or not.
  static let overhead = 32
  /// The bytes before the stream.
  private static let compressedPrefix = 5
  /// Little is gained by a higher level, at a multiple of the time.
  private static let level: Int32 = 1

  /// Returns a packed message.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - compression: How it may be compressed.
  static func pack(_ message: Data, _ compression: BatchCompression) -> Data {
    if compression == .zlib, message.count >= smallest, let compressed = compress(message),
      compressed.count + compressedPrefix < message.count
    {
      var packed = Data([Method.zlib.rawValue])
      packed.append(bigEndian: UInt32(message.count))
      packed.append(compressed)
      return packed
    }
    var packed = Data(capacity: message.count + 1)
    packed.append(Method.asItIs.rawValue)
    packed.append(message)
    return packed
  }

  /// Returns the message.
  ///
  /// - Parameters:
  ///   - packed: The packed message.
  ///   - compression: How it may be compressed.
  ///   - limit: The most bytes of the message.
  static func unpack(
    _ packed: Data, _ compression: BatchCompression, limit: Int
  ) throws(BatchError.Problem) -> Data {
    guard let first = packed.first else { throw .init("the payload is empty") }
    switch Method(rawValue: first) {
    case .asItIs?:
      return Data(packed.dropFirst())
    case .zlib? where compression == .zlib:
      guard packed.count > compressedPrefix else { throw .init("the compressed payload is cut") }
      let length = Int(clamping: packed.bigEndian(UInt32.self, at: 1))
      guard length <= limit else {
        throw .init("the message claims to have \(length) bytes, and the limit is \(limit)", code: .limitExceeded)
      }
      let stream = Data(packed.dropFirst(compressedPrefix))
      guard length / greatestRatio <= stream.count else {
        throw .init("the message claims to have \(length) bytes, more than a stream of \(stream.count) can hold")
      }
      guard let message = decompress(stream, length: length) else {
        throw .init("the compressed message isn't a stream of zlib with \(length) bytes")
      }
      return message
    default:
      throw .init("the payload is compressed in a way that the header doesn't name")
    }
  }

  /// Returns nil if there is no memory.
  private static func compress(_ message: Data) -> Data? {
    var count = compressBound(uLong(message.count))
    var stream = Data(count: Int(count))
    let result = stream.withUnsafeMutableBytes { target in
      message.withUnsafeBytes { source in
        compress2(
          target.bindMemory(to: UInt8.self).baseAddress, &count, source.bindMemory(to: UInt8.self).baseAddress,
          uLong(source.count), level)
      }
    }
    return result == Z_OK ? stream.prefix(Int(count)) : nil
  }

  /// Returns nil if the stream doesn't have this length, or goes on after its end.
  private static func decompress(_ stream: Data, length: Int) -> Data? {
    // zlib wants an address even for nothing.
    var message = Data(count: Swift.max(length, 1))
    var (count, consumed) = (uLong(length), uLong(stream.count))
    let result = message.withUnsafeMutableBytes { target in
      stream.withUnsafeBytes { source in
        uncompress2(
          target.bindMemory(to: UInt8.self).baseAddress, &count, source.bindMemory(to: UInt8.self).baseAddress,
          &consumed)
      }
    }
    guard result == Z_OK, count == length, consumed == stream.count else { return nil }
    return message.prefix(length)
  }
}
