import Foundation
import HTTPTypes
import Hummingbird
import Larder

/// `api/attachment`: the bytes that attachments name.
struct AttachmentRoutes {
  /// The greatest number of bytes of a new attachment.
  private static let limit = 256 << 20

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("attachment") { request, _ in
      let attachment = try Self.attachment(from: request)
      let start = try await library.store.data(of: attachment, range: 0..<min(attachment.size, 16))
      return response(attachment, start: start)
    }
    router.post("attachment") { request, _ in
      try library.requireWritable()
      let session = try await library.sessions.session(for: request)
      let name = request.parameter("name").flatMap { $0.isEmpty ? nil : $0 }
      let type = request.parameter("type").flatMap { $0.isEmpty ? nil : $0 }
      let bytes = try await request.body.collect(upTo: Self.limit)
      let attachment = try await library.store.attach(Data(bytes.readableBytesView), name: name, mediaType: type)
      await session.keep(attachment)
      return try Response.json(["json": String(decoding: JSONEncoder().encode(attachment), as: UTF8.self)])
    }
  }

  /// Sends pictures as such, and everything else as a file that the browser doesn't show: it could contain scripts.
  private func response(_ attachment: Attachment, start: Data) -> Response {
    let chunks = library.store.bytes(of: attachment)
    var headers: HTTPFields = [
      .contentType: Self.pictureType(start) ?? "application/octet-stream", .cacheControl: "private, max-age=3600",
    ]
    if Self.pictureType(start) == nil { headers[.contentDisposition] = "attachment" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: attachment.size) { writer in
        for try await chunk in chunks { try await writer.write(ByteBuffer(bytes: chunk)) }
        try await writer.finish(nil)
      })
  }

  private static func attachment(from request: Request) throws -> Attachment {
    do {
      return try JSONDecoder().decode(Attachment.self, from: Data(request.required("json").utf8))
    } catch is DecodingError {
      throw Refusal(.unprocessableContent, "This names no attachment.")
    }
  }

  /// Returns the media type of a picture that browsers show and that can't contain scripts, by its first bytes.
  private static func pictureType(_ bytes: Data) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return "image/gif" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
  }
}
