import Foundation
import Larder

@Model("Entry")
struct Entry {
  var id: UUID = .v7()
  var number: Int
  var text: String = ""
}
