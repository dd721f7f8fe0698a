import Foundation
public import Hummingbird

extension Response {
  /// Returns a response with the given bytes.
  ///
  /// - Parameters:
  ///   - content: The bytes of the body.
  ///   - mediaType: The value of `Content-Type`.
  ///   - caching: The value of `Cache-Control`.
  ///   - status: The status.
  public static func content(
    _ content: some Sequence<UInt8>,
    mediaType: String,
    caching: String = "no-store",
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status,
      headers: [.contentType: mediaType, .cacheControl: caching],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
  }

  /// Returns a response with the JSON of a value.
  ///
  /// Dates are seconds since 2001-01-01 UTC, as Larder stores them: texts would lose the fractions that tell versions
  /// apart. Equal values have equal JSON, which pages compare.
  ///
  /// - Throws: `EncodingError` if the value can't be encoded.
  public static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    .content(try JSONEncoder.sorted.encode(value), mediaType: "application/json; charset=utf-8", status: status)
  }
}

extension JSONEncoder {
  /// An encoder that writes equal values in the same way each time.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
