public import Foundation
public import Hummingbird

extension Response {
  /// Returns a response with the bytes of a file, which are read as they are sent.
  ///
  /// - Parameters:
  ///   - file: The file, which can be deleted once this function has returned.
  ///   - mediaType: The value of `Content-Type`.
  /// - Throws: What Foundation throws if the file can't be read.
  public static func file(_ file: URL, mediaType: String = "application/octet-stream") throws -> Response {
    let handle = try FileHandle(forReadingFrom: file)
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 0)
    let body = ResponseBody(contentLength: Int(size)) { writer in
      while let bytes = try handle.read(upToCount: 64 * 1024), !bytes.isEmpty {
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store"], body: body)
  }
}
