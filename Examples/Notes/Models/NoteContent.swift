import Foundation

/// What a person changes of a note; the rest is the app's work.
struct NoteContent: Codable, Equatable, Sendable {
  var title: String
  var body: String
  var font: Font
  var textColor: Color
  var images: [PlacedImage]
}

extension Note {
  /// A new note.
  init(_ content: NoteContent) {
    let now = Date.now
    self.init(title: content.title, body: content.body, createdAt: now, modifiedAt: now)
    self.content = content
  }

  var content: NoteContent {
    get { NoteContent(title: title, body: body, font: font, textColor: textColor, images: images) }
    set {
      title = newValue.title
      body = newValue.body
      font = newValue.font
      textColor = newValue.textColor
      images = newValue.images
    }
  }
}
