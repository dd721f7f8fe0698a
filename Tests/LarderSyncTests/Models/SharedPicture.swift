import Foundation
import Larder

/// A picture, and more of them in nested JSON.
@Model
struct SharedPicture: Hashable {
  var id: String
  @Attribute(.unique) var name: String
  var title: String = ""
  var image: Attachment?
  var details: [Attachment] = []
}

/// The attachments of Larder, in files that import the testing library's.
typealias Attached = Attachment
