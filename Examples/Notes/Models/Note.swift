import ExampleWeb
import Foundation
import Larder

/// A note: one row of the table `Note`, one line of the list, one sheet in the editor.
@Model
struct Note: Codable, Equatable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  @Attribute(.searchable) var body: String
  @Embedded var font: Font = Font()
  var textColor: Color = .black
  var images: [PlacedImage] = []
  var createdAt: Date = .now
  @Attribute(.indexed) var modifiedAt: Date = .now
}

extension Note {
  /// Larder calls this before every insert and update, so what breaks these rules is never in the file.
  func validate() throws {
    func require(_ isFulfilled: Bool, _ field: NoteProblem.Field, _ message: String) throws {
      guard isFulfilled else { throw NoteProblem.invalid(field, message) }
    }
    guard body.utf8.count <= 1_000_000 else { throw Self.bodyIsTooLong }
    try require(!title.isBlank, .title, "A note needs a title.")
    try require(title.count <= 300, .title, "A title has at most 300 characters.")
    try require(!title.containsNUL, .title, "A title can't contain the character NUL: remove it.")
    try require(!body.containsNUL, .body, "A text can't contain the character NUL: remove it.")
    try require(!body.isBlank, .body, "A note needs a text.")
    try require(!font.name.isBlank && font.name.count <= 100, .font, "A font's name has 1 to 100 characters.")
    try require((8...96).contains(font.size), .font, "A font size is a number from 8 to 96.")
    try require(images.count <= 100, .picture, "A note has at most 100 pictures.")
    try require(
      images.allSatisfy(\.frame.isOnPaper), .picture, "A picture is 1 to 10,000 points wide and high, and on the paper."
    )
    try require(images.allSatisfy { $0.name.count <= 255 }, .picture, "A picture's name has at most 255 characters.")
  }

  static let bodyIsTooLong = NoteProblem.invalid(
    .body, "A text has at most a million bytes: divide it into several notes.")
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
