import Foundation

extension QuerySort {
  /// Returns the sort of a Foundation sort descriptor. Throws `.unsupported` for a key path that isn't a stored
  /// property.
  init<M: Model>(_ descriptor: SortDescriptor<M>) throws {
    guard let path = descriptor.keyPath, let column = M.schema.column(at: path) else {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "the sort descriptor's key path is not a stored property; sort by a stored property or with sorted(by:)")
    }
    let node = SQLNode.column(ColumnReference(table: M.schema.table, name: column.name, type: column.type))
    let isText = column.type.storageClass == .text && column.type.order == .stored && !column.type.isJSON
    let isLocalized = isText && descriptor.stringComparator != nil && descriptor.stringComparator != .lexical
    self.init(node: isLocalized ? .collate(node, .localized) : node, isDescending: descriptor.order == .reverse)
  }
}
