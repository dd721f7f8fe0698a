/// A value that lost against one that was written at the same time elsewhere.
///
/// It is part of the state of its row, so that every replica can list it, and so that it is decided everywhere when
/// someone decides about it.
public struct LostValue: Sendable, Hashable, Codable {
  /// The property's name in the exchange; nil if the row was deleted elsewhere while it was changed.
  public let property: String?
  /// When and by whom it was written; for a value of a merged duplicate, when and by whom it was merged.
  public let stamp: Stamp
  /// The value; null for a row, and for a value about which someone has decided.
  public let value: ReplicatedValue
  /// Whether someone has decided that the value isn't needed any longer.
  public let isDismissed: Bool

  /// Creates a lost value.
  ///
  /// - Parameters:
  ///   - property: The property's name in the exchange; nil for the whole row.
  ///   - stamp: When and by whom it was written.
  ///   - value: The value.
  ///   - isDismissed: Whether someone has decided about it. The value is forgotten then.
  public init(property: String?, stamp: Stamp, value: ReplicatedValue, isDismissed: Bool = false) {
    self.property = property
    self.stamp = stamp
    self.value = isDismissed ? .null : value
    self.isDismissed = isDismissed
  }
}

extension LostValue: Comparable {
  /// Compares property, stamp, then whether it is decided, then the value. Two of a row are the same loss if they
  /// differ in the latter only.
  public static func < (left: LostValue, right: LostValue) -> Bool {
    if left.property != right.property {
      guard let property = left.property else { return true }
      return right.property.map { property < $0 } ?? false
    }
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    if left.isDismissed != right.isDismissed { return right.isDismissed }
    return left.value < right.value
  }

  /// Whether both are the same loss, whatever was decided about it.
  func isSame(as other: LostValue) -> Bool { property == other.property && stamp == other.stamp }
}
