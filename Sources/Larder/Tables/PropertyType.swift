/// What the values of a property are.
public enum PropertyType: String, Sendable, Hashable, Codable, CaseIterable {
  case bool, integer, float, double, decimal, text, date, uuid, data
  /// JSON: an array, a dictionary or a struct.
  case json
  /// Values of any kind, as in documents and in columns without a type.
  case any
}

extension PropertyType {
  init(_ type: ColumnType) {
    if type.isJSON {
      self = .json
    } else if type.order == .decimal {
      self = .decimal
    } else if type.textForm == .date || type.order == .instant {
      self = .date
    } else if type.textForm == .uuid {
      self = .uuid
    } else {
      self =
        switch (type.storageClass, type.numberForm) {
        case (.integer, .boolean): .bool
        case (.integer, _): .integer
        case (.real, .single): .float
        case (.real, _): .double
        case (.text, _): .text
        case (.blob, _): .data
        }
    }
  }

  /// - Parameter declared: The type with which SQL declared a column. Which values SQLite makes of it:
  ///   <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
  init(declared: String) {
    let name = declared.uppercased()
    func holds(_ parts: String...) -> Bool { parts.contains(where: name.contains) }
    self =
      if holds("BOOL") { .bool } else if holds("INT") { .integer } else if holds("CHAR", "CLOB", "TEXT") {
        .text
      } else if holds("REAL", "FLOA", "DOUB") { .double } else if holds("BLOB") { .data } else { .any }
  }

  /// Returns the type in Swift whose values are kept so.
  func swiftName(_ type: ColumnType) -> String {
    let name =
      switch self {
      case .bool: "Bool"
      case .integer: type.integerRange.flatMap(Self.integerName) ?? "Int"
      case .float: "Float"
      case .double: "Double"
      case .decimal: "Decimal"
      case .text: "String"
      case .date: "Date"
      case .uuid: "UUID"
      case .data: "Data"
      case .json: "DocumentValue"
      case .any: "Value"
      }
    return type.isOptional ? "\(name)?" : name
  }

  private static func integerName(_ range: ClosedRange<Int64>) -> String? {
    func isRange<Integer: FixedWidthInteger>(of type: Integer.Type) -> Bool {
      range.lowerBound == Int64(clamping: Integer.min) && range.upperBound == Int64(clamping: Integer.max)
    }
    let types: [any FixedWidthInteger.Type] = [
      Int8.self, Int16.self, Int32.self, UInt8.self, UInt16.self, UInt32.self, UInt.self,
    ]
    return types.first { isRange(of: $0) }.map { "\($0)" }
  }
}
