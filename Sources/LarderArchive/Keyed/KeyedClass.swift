/// What becomes of a class of a keyed archive.
public struct KeyedClass: Sendable {
  let build: @Sendable (KeyedArchiveObject) throws -> any Sendable
  /// The Codable type that objects become unless another one is asked for; nil where a closure makes them.
  ///
  /// Unchecked because metatypes are not Sendable: it never changes, and nobody but this module sees it.
  nonisolated(unsafe) let codable: (any Decodable.Type)?

  /// Whether the class has to be built to know whether it is a `T`; a Codable type that is asked for by name is decoded directly, so that no object is built
  /// as one type to be built as another.
  func makes<T>(_ type: T.Type) -> Bool {
    guard let codable else { return true }
    return codable is T.Type || !(type is any Decodable.Type)
  }

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
    KeyedClass(build: { object in try make(object) }, codable: nil)
  }

  /// Objects of the class are decoded as a Codable type whose coding keys are the keys of the archive.
  ///
  /// Nothing is thrown here; where an object lacks a key, or has another kind of value under it, decoding throws ``ArchiveError`` `.invalidValue` with class and
  /// key. The type's `init(from:)` is called for each place that holds the object.
  public static func codable<Value: Decodable & Sendable>(_ type: Value.Type) -> KeyedClass {
    KeyedClass(build: { object in try object.value(type) }, codable: type)
  }
}
