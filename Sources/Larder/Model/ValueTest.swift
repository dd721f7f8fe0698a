import Foundation

/// Tells which stored values the type of a property has. Reading a row with any other throws.
package struct ValueTest: Sendable {
  /// Whether another version of the program may have a type of the same description that has other values.
  package let mayChange: Bool
  private let read: @Sendable (Value) throws -> Void

  /// - Parameters:
  ///   - mayChange: Whether the type may have other values in another version of the program.
  ///   - read: Reads a value other than null. Throws if the type doesn't have it.
  init(mayChange: Bool, read: @escaping @Sendable (Value) throws -> Void) {
    (self.mayChange, self.read) = (mayChange, read)
  }

  /// Creates the test of a property's type. Nil is returned if the type has every value of its storage class.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - listsCases: Whether the description of the property has all values of the type.
  ///   - read: Reads a value other than null. Throws if the type doesn't have it.
  init?(of type: Any.Type, listsCases: Bool, read: @escaping @Sendable (Value) throws -> Void) {
    let type = ObjectIdentifier((type as? any AnyOptional.Type)?.wrappedType ?? type)
    if Self.unlimited.contains(type) { return nil }
    self.init(mayChange: !listsCases && !Self.limited.contains(type), read: read)
  }

  package func passes(_ value: Value) -> Bool {
    do {
      try read(value)
      return true
    } catch {
      return false
    }
  }

  /// Whether the name of a property's type says which values it has.
  static func isDescribed(byName swiftType: String) -> Bool {
    describedNames.contains(swiftType.hasSuffix("?") ? String(swiftType.dropLast()) : swiftType)
  }

  private static let describedNames = Set(
    ([
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
      UInt32.self, UInt64.self, Float.self, Double.self, String.self, Data.self, Date.self, Decimal.self, UUID.self,
    ] as [Any.Type]).map { "\($0)" })

  /// The types that have every value of their storage class.
  private static let unlimited = identifiers(of: [
    Bool.self, Int.self, Int64.self, Double.self, String.self, Data.self,
  ])
  /// The other types that mean the same in every program. A date can be a text.
  private static let limited = identifiers(of: [
    Int8.self, Int16.self, Int32.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, Float.self,
    Date.self, Decimal.self, UUID.self, URL.self, Attachment.self,
  ])

  private static func identifiers(of types: [Any.Type]) -> Set<ObjectIdentifier> {
    Set(types.map { ObjectIdentifier($0) })
  }
}
