/// The keys from the object that contains a value, and the context of its archive.
struct KeyedPath {
  private(set) var keys: [any CodingKey] = []
  let context: KeyedContext

  static func + (path: KeyedPath, key: any CodingKey) -> KeyedPath {
    var path = path
    path.keys.append(key)
    return path
  }
}
