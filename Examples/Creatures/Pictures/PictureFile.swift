import ExampleWeb
import Foundation

/// The bytes of a picture, with what its header says.
struct PictureFile: Equatable, Sendable {
  static let maximumBytes = PictureFormat.maximumBytes
  /// A side of a picture has at most this many pixels,
  static let maximumSide = 16_384
  /// and all of it as many as the largest cameras make: more would only fill the memory of whoever opens it.
  static let maximumPixels = 100_000_000
  static let maximumThumbnailBytes = 1 << 20
  static let maximumThumbnailSide = 512

  let content: Data
  let format: PictureFormat
  let width: Int
  let height: Int

  /// `nil` where the bytes are no picture of a known format.
  init?(_ content: Data) {
    guard let format = PictureFormat(signature: content), let size = PictureSize(of: content, format: format) else {
      return nil
    }
    self.content = content
    self.format = format
    width = size.width
    height = size.height
  }

  /// Throws `CreatureProblem.invalid` where the bytes are no picture, or one that is too large.
  static func picture(_ content: Data) throws -> PictureFile {
    guard content.count <= maximumBytes else { throw tooLarge }
    guard let file = PictureFile(content) else {
      throw problem("This is not a PNG, JPEG, GIF or WebP picture. Choose another file.")
    }
    guard file.width <= maximumSide, file.height <= maximumSide, file.width * file.height <= maximumPixels else {
      throw problem(
        "The picture has \(file.width) × \(file.height) pixels, which is too many: make it smaller and add it again.")
    }
    return file
  }

  /// Throws `CreatureProblem.invalid` where the bytes are no thumbnail as the page makes them.
  static func thumbnail(_ content: Data) throws -> PictureFile {
    guard content.count <= maximumThumbnailBytes, let file = PictureFile(content),
      file.format != .gif, file.width <= maximumThumbnailSide, file.height <= maximumThumbnailSide
    else { throw problem("The small picture is not one that this page makes. Reload the page and try again.") }
    return file
  }

  static let tooLarge = problem(
    "A picture may have at most \(maximumBytes >> 20) MB: make it smaller and add it again.")

  private static func problem(_ message: String) -> CreatureProblem { .invalid([.picture: message]) }
}

/// A picture and the thumbnail that the page made of it.
struct PictureUpload: Equatable, Sendable {
  let picture: PictureFile
  let thumbnail: PictureFile?

  init(picture: PictureFile, thumbnail: PictureFile?) {
    self.picture = picture
    self.thumbnail = thumbnail
  }

  /// Takes a body that is the thumbnail, of so many bytes, and after it the picture.
  ///
  /// Throws `CreatureProblem.invalid` where either is not what it should be.
  init(_ body: Data, thumbnailBytes: Int) throws {
    guard (1..<max(body.count, 2)).contains(thumbnailBytes) else {
      throw CreatureProblem.invalid([.picture: "The picture did not arrive whole. Add it again."])
    }
    thumbnail = try PictureFile.thumbnail(Data(body.prefix(thumbnailBytes)))
    picture = try PictureFile.picture(Data(body.dropFirst(thumbnailBytes)))
  }
}
