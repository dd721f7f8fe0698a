import Foundation
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

@Suite("The JSON of attachments")
struct AttachmentTextTests {
  private static let digest = String(repeating: "0123456789abcdef", count: 4)
  private static let names: [String?] = [
    nil, "", "scan.png", "a/b c", "\"", "\\", "\u{7F}", "Zoë 🐈", "line\nbreak", "\0", "}", "\",\"size\":1", "type\":\"",
    String(repeating: "x", count: 4096),
  ]

  @Test("every name is written as an encoder writes it, and comes back")
  func roundTrips() throws {
    for name in Self.names {
      for type in Self.names {
        for size in [0, 7, Int.max] {
          let attachment = Attachment(digest: Self.digest, size: size, mediaType: type, fileName: name, lease: nil)
          let value = try attachment.storedValue()
          #expect(value == (try JSONCoding.encode(attachment)))
          #expect(try Attachment(storedValue: value) == attachment)
        }
      }
    }
    let plain = Attachment(digest: Self.digest, size: 7, mediaType: "image/png", fileName: "scan.png", lease: nil)
    #expect(AttachmentText.write(plain) != nil)
    #expect(try AttachmentText.read(#require(AttachmentText.write(plain))) == plain)
  }

  @Test("other JSON of the same meaning is read too, and what names no bytes is refused")
  func otherTexts() throws {
    let digest = Self.digest
    let same = [
      #"{"size":7,"larder.attachment":"\#(digest)"}"#, #" {"larder.attachment" : "\#(digest)", "size" : 7}"#,
      #"{"larder.attachment":"\#(digest)","name":null,"size":7,"more":[]}"#,
      #"{"larder.attachment":"\#(digest)","size":7.0}"#,
    ]
    for text in same { #expect(try Attachment(storedValue: .text(text)).size == 7, "\(text)") }
    let wrong = [
      "", "{", "{}", #"{"larder.attachment":"\#(digest)"}"#, #"{"larder.attachment":"\#(digest)","size":-1}"#,
      #"{"larder.attachment":"\#(digest.uppercased())","size":7}"#, #"{"larder.attachment":"\#(digest)f","size":7}"#,
      #"{"larder.attachment":"\#(digest.dropLast())é","size":7}"#,
      #"{"larder.attachment":"\#(digest.dropLast())🐈","size":7}"#,
      #"{"larder.attachment":"\#(digest.dropLast())","size":7}"#, #"{"larder.attachment":"../../etc/passwd","size":7}"#,
      #"{"larder.attachment":"\#(digest)","size":99999999999999999999}"#,
      #"{"larder.attachment":"\#(digest)","size":7,"type":3}"#,
    ]
    for text in wrong { #expect(throws: (any Error).self, "\(text)") { try Attachment(storedValue: .text(text)) } }
    // Each text that was cut off is refused as well.
    let whole = #"{"larder.attachment":"\#(digest)","name":"a","size":7,"type":"b"}"#
    for length in 0..<whole.count {
      #expect(throws: (any Error).self) { try Attachment(storedValue: .text(String(whole.prefix(length)))) }
    }
  }
}
