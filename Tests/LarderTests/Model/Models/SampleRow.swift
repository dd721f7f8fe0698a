import Larder

/// A model that keeps one value of a type and one optional of it, so that one body tests every storable type.
protocol SampleRow: Model where ID == Int {
  associatedtype Sample: Sendable

  init(id: Int, value: Sample, maybe: Sample?)
  var value: Sample { get }
  var maybe: Sample? { get }

  /// Whether the two are the same to the last bit, as far as the database promises.
  static func isSame(_ left: Sample, _ right: Sample) -> Bool
}

extension SampleRow where Sample: Equatable {
  static func isSame(_ left: Sample, _ right: Sample) -> Bool { left == right }
}

extension SampleRow where Sample == String {
  /// Strings that Swift calls equal may differ in their bytes.
  static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
