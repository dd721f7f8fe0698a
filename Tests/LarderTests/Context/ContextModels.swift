import Foundation
import Larder

@Model("Page")
struct Page: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  @Attribute(.unique) var code: String?
  @Attribute(.indexed) var number: Int = 0
  var price: Decimal = 0
  var tags: [String] = []

  func validate() throws {
    if title.isEmpty { throw Untitled() }
  }

  struct Untitled: Error {}
}
