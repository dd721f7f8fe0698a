/// What becomes of a class of a keyed archive.
public struct KeyedClass: Sendable {
  let build: @Sendable (KeyedArchiveObject) throws -> any Sendable
  /// Whether objects may be decoded as another Codable type than the one that is named here.
  let isCodable: Bool

  /// Objects of the class are made by a closure, which asks the object for its keys.
  ///
  /// ```swift
  /// "Creature": .building { object in
  ///   Creature(title: try object.decode(String.self, forKey: "Title"), rating: try object.decode(Double.self, forKey: "Rating"))
  /// }
  /// ```
  ///
  /// Nothing is thrown here; what the closure throws reaches the caller of ``Archive`` unchanged. The closure is called for each place that holds the object.
  public static func building<Value: Sendable>(_ make: @escaping @Sendable (KeyedArchiveObject) throws -> Value) -> KeyedClass {
    KeyedClass(build: { object in try make(object) }, isCodable: false)
  }

  /// Objects of the class are decoded as a Codable type whose coding keys are the keys of the archive.
  ///
  /// Nothing is thrown here; where an object lacks a key, or has another kind of value under it, decoding throws ``ArchiveError`` `.invalidValue` with class and
  /// key. The type's `init(from:)` is called for each place that holds the object.
  public static func codable<Value: Decodable & Sendable>(_ type: Value.Type) -> KeyedClass {
    KeyedClass(build: { object in try object.value(type) }, isCodable: true)
  }
}
