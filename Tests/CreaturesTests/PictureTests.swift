import ExampleWeb
import Foundation
import Testing

@testable import Creatures

@Suite("A picture is told by its bytes")
struct PictureTests {
  @Test(
    "The size stands in the header of every format",
    arguments: [
      (Sample.png(640, 480), PictureFormat.png, 640, 480),
      (Sample.gif(300, 2), .gif, 300, 2),
      (Sample.jpeg(4032, 3024), .jpeg, 4032, 3024),
      (Sample.jpeg(10, 20, frame: 0xC2), .jpeg, 10, 20),
      (Sample.webp("VP8X", [0, 0, 0, 0, 0xFF, 0x0F, 0, 0x09, 0, 0]), .webp, 4096, 10),
      (Sample.webp("VP8L", [0x2F, 0x63, 0xC0, 0x18, 0]), .webp, 100, 100),
      (Sample.webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xF0, 0x40]), .webp, 320, 240),
    ])
  func sizes(content: Data, format: PictureFormat, width: Int, height: Int) throws {
    let file = try #require(PictureFile(content))
    #expect(file.format == format)
    #expect(file.width == width)
    #expect(file.height == height)
  }

  @Test(
    "A header that is cut off anywhere is no picture, and no trap",
    arguments: [
      Sample.png(640, 480, bytes: 0), Sample.gif(300, 2), Sample.jpeg(4032, 3024),
      Sample.webp("VP8X", [0, 0, 0, 0, 0xFF, 0x0F, 0, 0x09, 0, 0]),
      Sample.webp("VP8L", [0x2F, 0x63, 0xC0, 0x18, 0]),
      Sample.webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xF0, 0x40]),
    ])
  func cutOff(content: Data) throws {
    let whole = try #require(PictureFile(content))
    for length in 0..<content.count {
      // A slice has indexes of its own.
      let cut = (Data([7]) + content.prefix(length)).dropFirst()
      if let file = PictureFile(cut) {
        #expect((file.width, file.height) == (whole.width, whole.height), "cut to \(length) bytes")
      }
    }
    #expect(PictureFile(content.prefix(9)) == nil)
  }

  @Test(
    "What is no picture is refused, whatever it says it is",
    arguments: [
      Data(), Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8),
      Data("<!doctype html><script>alert(1)</script>".utf8), Data("%PDF-1.7".utf8),
      Sample.png(0, 480), Sample.png(0xFFFF_FFFF, 1), Sample.jpeg(100, 100, frame: 0xDA), Sample.png(16_384, 16_384),
      Data("MZ".utf8),
    ])
  func refused(content: Data) {
    #expect(throws: CreatureProblem.self) { try PictureFile.picture(content) }
  }

  @Test("A picture above 20 MB is refused")
  func tooLarge() throws {
    let most = Sample.png(100, 100, bytes: PictureFile.maximumBytes - 24)
    #expect(try PictureFile.picture(most).content.count == PictureFile.maximumBytes)
    #expect(throws: PictureFile.tooLarge) { try PictureFile.picture(most + [0]) }
  }

  @Test(
    "A thumbnail is small, and no animation",
    arguments: [
      Sample.png(513, 10), Sample.png(10, 513), Sample.gif(10, 10),
      Sample.png(10, 10, bytes: PictureFile.maximumThumbnailBytes),
      Data("thumbnail".utf8),
    ])
  func thumbnails(content: Data) throws {
    #expect(throws: CreatureProblem.self) { try PictureFile.thumbnail(content) }
    #expect(try PictureFile.thumbnail(Sample.png(512, 512)).width == 512)
  }

  @Test("A body is the thumbnail and the picture, and nothing else makes one", arguments: [-1, 0, 63, 65, 1000, .max])
  func bodies(thumbnailBytes: Int) throws {
    let body = Sample.png(64, 48) + Sample.jpeg(640, 480)
    let upload = try PictureUpload(body, thumbnailBytes: Sample.png(64, 48).count)
    #expect(upload.picture.format == .jpeg)
    #expect(upload.thumbnail?.width == 64)
    #expect(Sample.png(64, 48).count == 64)
    #expect(throws: CreatureProblem.self) { try PictureUpload(body, thumbnailBytes: thumbnailBytes) }
    #expect(throws: CreatureProblem.self) { try PictureUpload(Data(), thumbnailBytes: thumbnailBytes) }
  }
}
