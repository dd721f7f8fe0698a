import Larder
import LarderTestSupport
import Testing

@Suite struct TransientTests {
  /// Neither Codable nor anything else that a column could keep.
  struct Preview: Hashable, Sendable { var width = 3 }

  @Model struct Picture: Hashable {
    var id: Int
    @Transient var isSelected = false
    var name: String
    @Transient var preview = Preview()
    @Transient var cached: Preview?
    var title: String { "\(name)!" }
    static let limit = 3
  }

  @Test("A2: a transient property has no column, and starts with its default in what is read") func transient() throws {
    let store = try Store(inMemoryFor: Picture.self)
    try store.blocking.insert(
      Picture(id: 1, isSelected: true, name: "a", preview: Preview(width: 9), cached: Preview()))
    #expect(try store.blocking.find(Picture.self, 1) == Picture(id: 1, name: "a"))
    #expect(try store.blocking.rows(Picture.all).first?.names == ["id", "name"])
  }
}
