import Foundation
public import Hummingbird
import NIOCore
import ServiceLifecycle

extension Response {
  /// Returns a response that sends the elements of a sequence as events, until the window or the server closes.
  ///
  /// - Parameters:
  ///   - name: The name of the events.
  ///   - request: The request; the sequence is cancelled when its connection closes.
  ///   - elements: Returns the sequence; called once the response is being sent.
  public static func events<Elements: AsyncSequence & Sendable>(
    named name: String,
    for request: Request,
    of elements: @escaping @Sendable () async throws -> Elements
  ) -> Response where Elements.Element: Encodable & Sendable {
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        for try await element in try await elements().cancelOnGracefulShutdown() {
          let json = String(decoding: try JSONEncoder.sorted.encode(element), as: UTF8.self)
          try await writer.write(ByteBuffer(string: "event: \(name)\ndata: \(json)\n\n"))
        }
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }
}
