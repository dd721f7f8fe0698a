/// What becomes of a class of a keyed archive.
public struct KeyedClass: Sendable {
  let build: @Sendable (KeyedArchiveObject) throws -> any Sendable

  /// Objects of the class are made by a closure, which asks the object for its keys.
  ///
  /// ```swift
  /// "Creature": .building { object in
  ///   Creature(title: try object.decode(String.self, forKey: "Title"), rating: try object.decode(Double.self, forKey: "Rating"))
  /// }
  /// ```
  public static func building<Value: Sendable>(_ make: @escaping @Sendable (KeyedArchiveObject) throws -> Value) -> KeyedClass {
    KeyedClass { object in try make(object) }
  }

  /// Objects of the class are decoded as a Codable type whose coding keys are the keys of the archive.
  public static func codable<Value: Decodable & Sendable>(_ type: Value.Type) -> KeyedClass {
    KeyedClass { object in try object.fieldTree().decode(type) }
  }
}
