public import Foundation
public import Larder
import LarderTestSupport
import Testing

/// The namespace of a public model, as a package with models of its own would have it.
public enum Shop {
  public enum Catalogue {
    @Model("shop products")
    public struct Product: Hashable {
      public var id: UUID
      public private(set) var name: String
      var internalNote: String = ""

      public init(id: UUID = .v7(), name: String) {
        self.id = id
        self.name = name
      }
    }
  }
}

@Suite struct PublicModelTests {
  @Test("a public model that is nested in other types is stored, with a setter and a property that others do not see")
  func nested() throws {
    let store = try Store(inMemoryFor: Shop.Catalogue.Product.self)
    let product = Shop.Catalogue.Product(name: "Tea")
    try store.blocking.insert(product)
    #expect(
      try store.blocking.fetch(Shop.Catalogue.Product.where { $0.name == "Tea" && $0.internalNote == "" }) == [product])
    let error = #expect(throws: StoreError.self) { try store.blocking.insert(product) }
    #expect(error?.model == "Product")
  }

  @Test("a public model of another module is stored") func otherModule() throws {
    let store = try Store(inMemoryFor: ConformanceItem.self)
    try store.blocking.insert(ConformanceItem.samples)
    #expect(try store.blocking.fetch(ConformanceItem.all.sorted(by: \.id)) == ConformanceItem.samples)
    #expect(try store.blocking.fetch(ConformanceItem.where { $0.size.width == 2 }).map(\.id) == [1])
  }
}
