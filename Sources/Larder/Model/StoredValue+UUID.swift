public import Foundation

extension UUID: StoredValue {
  @inlinable public static var storageClass: StorageClass { .blob }

  /// Reads 16 bytes, or text that an existing column stores instead.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .blob(let data) where data.count == 16:
      self = data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let text):
      guard let uuid = UUID(uuidString: text) else { throw ValueFailure.unexpected(storedValue, expected: "a UUID") }
      self = uuid
    default:
      throw ValueFailure.unexpected(storedValue, expected: "a UUID of 16 bytes")
    }
  }

  public func storedValue() throws -> Value {
    .blob(withUnsafeBytes(of: uuid) { Data($0) })
  }

  @inlinable @inline(__always) public init(from column: StoredColumn) throws {
    let uuid = column.withBlob { bytes in
      bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
    if let uuid = uuid ?? nil {
      self = uuid
    } else {
      self = try Self.converted(column)
    }
  }

  @inlinable @inline(__always) public func bind(to parameter: inout StatementParameter) throws {
    withUnsafeBytes(of: uuid) { parameter.bind($0) }
  }
}
