import ExampleWeb
import Foundation

/// The bytes of a picture as they arrive. It throws `NoteProblem.pictureIsTooLarge` as soon as they are too many.
struct PictureUpload<Pieces: AsyncSequence>: AsyncSequence where Pieces.Element == Data {
  let pieces: Pieces

  func makeAsyncIterator() -> Iterator {
    Iterator(pieces: pieces.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    var pieces: Pieces.AsyncIterator
    private var size = 0

    init(pieces: Pieces.AsyncIterator) { self.pieces = pieces }

    mutating func next() async throws -> Data? {
      guard let piece = try await pieces.next() else { return nil }
      size += piece.count
      guard size <= PictureFormat.maximumBytes else { throw NoteProblem.pictureIsTooLarge }
      return piece
    }
  }
}

extension NoteProblem {
  static let pictureIsTooLarge = invalid(
    .picture, "A picture may have at most \(PictureFormat.maximumBytes >> 20) MB: make it smaller and add it again.")
  static let noPicture = invalid(.picture, "This is not a PNG, JPEG, GIF or WebP picture.")
  static let pictureIsGone = invalid(.picture, "A picture of this note is no longer there: remove it or add it again.")
}
