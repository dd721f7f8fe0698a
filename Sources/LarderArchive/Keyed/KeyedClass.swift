/// The mapping of a class in a keyed archive.
public struct KeyedClass: Sendable {
  let build: @Sendable (KeyedArchiveObject) throws -> any Sendable
  /// The Codable type that objects are decoded as by default; nil if a closure creates them.
  ///
  /// Unchecked because metatypes aren't Sendable: it never changes, and is only visible in this module.
  nonisolated(unsafe) let codable: (any Decodable.Type)?

  /// Returns whether the class has to be built to know whether it is a `T`. A Codable type that is requested by name is
  /// decoded directly, so that no object is built as one type to be built as another.
  func makes<T>(_ type: T.Type) -> Bool {
    guard let codable else { return true }
    return codable is T.Type || !(type is any Decodable.Type)
  }

  /// Returns a mapping in which a closure creates objects of the class.
  ///
  /// ```swift
  /// "Creature": .building { object in
  ///   Creature(title: try object.decode(String.self, forKey: "Title"), rating: try object.decode(Double.self, forKey: "Rating"))
  /// }
  /// ```
  ///
  /// - Parameter make: Returns the object for its encoded values. It is called for each reference to the object. An
  ///   error that it throws reaches the caller of ``Archive`` unchanged.
  public static func building<Value: Sendable>(
    _ make: @escaping @Sendable (KeyedArchiveObject) throws -> Value
  ) -> KeyedClass {
    KeyedClass(build: { object in try make(object) }, codable: nil)
  }

  /// Returns a mapping in which objects of the class are decoded as a Codable type whose coding keys are the keys of
  /// the archive.
  ///
  /// If an object lacks a key, or its value doesn't fit, decoding throws ``ArchiveError`` `.invalidValue` with class
  /// and key.
  ///
  /// - Parameter type: The Codable type. Its `init(from:)` is called for each reference to the object.
  public static func codable<Value: Decodable & Sendable>(_ type: Value.Type) -> KeyedClass {
    KeyedClass(build: { object in try object.value(type) }, codable: type)
  }
}
