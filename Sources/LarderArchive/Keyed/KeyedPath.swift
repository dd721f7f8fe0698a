/// The keys from the object that contains a value, and the caller's user info.
struct KeyedPath {
  private(set) var keys: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: any Sendable]

  static func + (path: KeyedPath, key: any CodingKey) -> KeyedPath {
    var path = path
    path.keys.append(key)
    return path
  }
}
