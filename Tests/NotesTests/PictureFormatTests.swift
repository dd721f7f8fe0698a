import ExampleWeb
import Testing

@testable import Notes

@Suite("Pictures are known by their first bytes")
struct PictureFormatTests {
  static let signatures: [(PictureFormat, [UInt8])] = [
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
    (.gif, Array("GIF87a".utf8)),
    (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP".utf8)),
  ]

  @Test("each format is told by its signature", arguments: signatures)
  func signature(format: PictureFormat, bytes: [UInt8]) {
    #expect(PictureFormat(signature: bytes + [0, 1, 2, 3, 4, 5, 6, 7]) == format)
  }

  @Test("a signature that is cut short tells nothing", arguments: signatures)
  func cutShort(format: PictureFormat, bytes: [UInt8]) {
    #expect(PictureFormat(signature: bytes.prefix(2)) == nil)
  }

  @Test(
    "other files tell nothing", arguments: ["", "<svg xmlns=", "<script>", "RIFF1234WAVE", "%PDF-1.7", " GIF89a", "BM"])
  func other(text: String) {
    #expect(PictureFormat(signature: text.utf8) == nil)
  }
}
