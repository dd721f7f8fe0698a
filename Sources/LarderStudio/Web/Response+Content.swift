import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

extension Response {
  /// Returns a response with the given bytes.
  static func content(
    _ content: some Sequence<UInt8>, mediaType: String, caching: String = "no-store",
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: mediaType, .cacheControl: caching],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
  }

  /// Returns a response with the JSON of a value. Equal values have equal JSON, which the page compares.
  ///
  /// - Throws: `EncodingError` if the value can't be encoded.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return .content(try encoder.encode(value), mediaType: "application/json; charset=utf-8", status: status)
  }
}

extension Request {
  /// The greatest number of bytes of a request that isn't a file.
  private static var limit: Int { 32 << 20 }

  /// Returns the value that the JSON of the body describes.
  ///
  /// - Throws: `DecodingError` if the JSON is of another type, and `NIOTooManyBytesError` if the body is too long.
  func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    try await Self.json(type, in: body)
  }

  private static func json<Value: Decodable>(_ type: Value.Type, in body: RequestBody) async throws -> Value {
    let body = try await body.collect(upTo: limit)
    return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
  }

  /// Returns a parameter of the address, or nil.
  func parameter(_ name: String) -> String? {
    uri.queryParameters[Substring(name)].map { String($0) }
  }

  /// Returns a parameter of the address.
  ///
  /// - Throws: `Refusal` if it isn't there.
  func required(_ name: String) throws -> String {
    guard let text = parameter(name) else { throw Refusal(.badRequest, "The request has no \(name).") }
    return text
  }

  /// Returns a parameter that is a number from 0 on, or nil if there is none.
  ///
  /// - Throws: `Refusal` for anything else.
  func number(_ name: String) throws -> Int? {
    guard let text = parameter(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw Refusal(.badRequest, "The \(name) is not a number from 0 on.")
    }
    return number
  }

  /// Calls the closure, and cancels it if the browser closes the connection or the server ends.
  func whileConnected<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await self.body.consumeWithCancellationOnInboundClose { _ in
      try await cancelWhenGracefulShutdown(body)
    }
  }

  /// Calls the closure with the value that the JSON of the body describes, and cancels it if the browser closes the
  /// connection or the server ends.
  ///
  /// - Throws: The errors of ``json(_:)``, and what the closure throws.
  func whileConnected<Content: Decodable & Sendable, Value: Sendable>(
    reading type: Content.Type, _ body: @escaping @Sendable (Content) async throws -> Value
  ) async throws -> Value {
    try await self.body.consumeWithCancellationOnInboundClose { received in
      let content = try await Self.json(type, in: received)
      return try await cancelWhenGracefulShutdown { try await body(content) }
    }
  }
}
