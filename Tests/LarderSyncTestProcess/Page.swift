import Foundation
import Larder

/// The model of the replicas that two processes share.
@Model
struct Page {
  var id: UUID = .v7()
  @Attribute(.unique) var number: Int
  var text: String = ""
  @Relationship(deleteRule: .cascade) var parent: ToOne<Page>?
}
