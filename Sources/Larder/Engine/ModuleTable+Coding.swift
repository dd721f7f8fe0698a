import Foundation

extension ModuleTable.Column: Codable {
  private enum CodingKeys: CodingKey {
    case name, property, storageClass, isOptional, originalName, counterRange, constantDefault, order, type, cases
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    property = try container.decode(String.self, forKey: .property)
    storageClass = try container.decode(StorageClass.self, forKey: .storageClass)
    isOptional = try container.decode(Bool.self, forKey: .isOptional)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    counterRange = try container.decodeIfPresent(ClosedRange<Int64>.self, forKey: .counterRange)
    if let coded = try container.decodeIfPresent(CodedValue.self, forKey: .constantDefault) {
      constantDefault = coded.value
    } else {
      constantDefault = isOptional ? .some(.null) : .none
    }
    order = try container.decodeIfPresent(ValueOrder.self, forKey: .order)
    type = try container.decodeIfPresent(String.self, forKey: .type)
    cases = try container.decodeIfPresent([String].self, forKey: .cases)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(property, forKey: .property)
    try container.encode(storageClass, forKey: .storageClass)
    try container.encode(isOptional, forKey: .isOptional)
    try container.encodeIfPresent(originalName, forKey: .originalName)
    try container.encodeIfPresent(counterRange, forKey: .counterRange)
    // Every optional column has NULL otherwise.
    if let constantDefault, !constantDefault.isNull {
      try container.encode(CodedValue(constantDefault), forKey: .constantDefault)
    }
    try container.encodeIfPresent(order, forKey: .order)
    try container.encodeIfPresent(type, forKey: .type)
    try container.encodeIfPresent(cases, forKey: .cases)
  }
}

/// A value as JSON keeps it bit for bit: JSON has no infinite numbers.
private struct CodedValue: Codable {
  private enum CodingKeys: CodingKey {
    case integer, real, text, blob
  }

  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let number = try container.decodeIfPresent(Int64.self, forKey: .integer) {
      value = .integer(number)
    } else if let bits = try container.decodeIfPresent(Int64.self, forKey: .real) {
      value = .real(Double(bitPattern: UInt64(bitPattern: bits)))
    } else if let text = try container.decodeIfPresent(String.self, forKey: .text) {
      value = .text(text)
    } else {
      value = .blob(try container.decode(Data.self, forKey: .blob))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch value {
    case .null: break
    case .integer(let number): try container.encode(number, forKey: .integer)
    case .real(let number): try container.encode(Int64(bitPattern: number.bitPattern), forKey: .real)
    case .text(let text): try container.encode(text, forKey: .text)
    case .blob(let bytes): try container.encode(bytes, forKey: .blob)
    }
  }
}
