import Foundation
import Larder

// Apart from the tests: Testing has an Attachment of its own.
enum AttachmentsArticle {
  @Model
  struct Postcard {
    var id: UUID = .v7()
    var text: String
    var picture: Attachment?
    var stamps: [Attachment] = []
  }
}
