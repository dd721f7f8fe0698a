/// The properties of a column's values, apart from the Swift type.
@usableFromInline
struct ColumnType: Sendable, Hashable, Codable {
  var storageClass: StorageClass
  var isOptional = false
  var order = ValueOrder.stored
  /// The text format that an existing table may use instead of the native one.
  var textForm: TextForm?
  var isJSON = false
  /// The range of the property's type, if it is narrower than that of the file.
  var integerRange: ClosedRange<Int64>?
  /// The number type, if it is narrower than its storage class; nil in files of the first version.
  var numberForm: NumberForm?

  enum NumberForm: String, Sendable, Hashable, Codable {
    case boolean, single
  }

  enum TextForm: String, Sendable, Hashable, Codable {
    case date, uuid
  }
}
