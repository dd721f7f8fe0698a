public import Foundation
public import Larder

/// The model of the conformance suites. Open the store for it.
@Model("conformance items")
public struct ConformanceItem: Hashable {
  /// A property that is stored as its raw value.
  public enum Kind: String, Codable, Sendable {
    case food, tool
  }

  /// Properties that are columns of the item.
  @Embeddable
  public struct Size: Hashable {
    public var width: Int
    public var height: Int

    public init(width: Int = 1, height: Int = 1) {
      self.width = width
      self.height = height
    }
  }

  /// The error of ``validate()`` for an item without a title.
  public struct EmptyTitle: Error, Sendable {
    public init() {}
  }

  public var id: Int
  @Attribute(.searchable) public var title: String
  @Attribute(.unique) public var code: String?
  @Attribute(.indexed) public var kind: Kind
  public var price: Decimal
  public var weight: Double?
  public var stock: Int
  public var madeAt: Date
  public var tags: [String]
  @Embedded public var size: Size

  public init(
    id: Int, title: String, code: String? = nil, kind: Kind = .food, price: Decimal = 0, weight: Double? = nil,
    stock: Int = 0,
    madeAt: Date = Date(timeIntervalSinceReferenceDate: 0), tags: [String] = [], size: Size = Size()
  ) {
    self.id = id
    self.title = title
    self.code = code
    self.kind = kind
    self.price = price
    self.weight = weight
    self.stock = stock
    self.madeAt = madeAt
    self.tags = tags
    self.size = size
  }

  public func validate() throws {
    if title.isEmpty { throw EmptyTitle() }
  }
}

extension ConformanceItem {
  static let milk = ConformanceItem(
    id: 1, title: "Milk of the day", code: "M", price: 1.25, weight: 1.5, stock: 10,
    madeAt: Date(timeIntervalSinceReferenceDate: 1), tags: ["cold"],
    size: Size(width: 2, height: 3))
  static let bread = ConformanceItem(
    id: 2, title: "Bread", code: "B", price: 2.5, weight: 0.5, stock: 20, tags: ["warm", "brown"])
  static let hammer = ConformanceItem(id: 3, title: "Hammer", kind: .tool, price: 10.1, stock: 3)

  /// The rows that ``StoreReaderConformance`` expects: nothing else may be in the table.
  public static let samples = [milk, bread, hammer]
}
