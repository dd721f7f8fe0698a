import Foundation
import Larder

/// The model that `LarderTestProcess` keeps.
@Model("Entry")
struct ProcessEntry: Hashable {
  var id: UUID = .v7()
  var number: Int
  var text: String = ""
}
