extension ArchiveError {
  /// Creates the error of a decoder, without the values it found. The first key is the array that contains every
  /// payload.
  init(_ error: DecodingError, type: String) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(
        .invalidValue, type: type, keyPath: Self.keyPath((context.codingPath + [key]).dropFirst()),
        "The archive has no value for this key. Make the property optional, or raise archiveVersion and add an ArchiveMigration that fills it."
      )
    case .valueNotFound(_, let context):
      self.init(
        .invalidValue, type: type, keyPath: Self.keyPath(context.codingPath.dropFirst()),
        "The archive has nil, or nothing, where a value is required. Make the property optional, or add an ArchiveMigration that fills it."
      )
    case .typeMismatch(let wanted, let context):
      self.init(
        .invalidValue, type: type, keyPath: Self.keyPath(context.codingPath.dropFirst()),
        "The archive has another kind of value where \(wanted) is required. Raise archiveVersion and add an ArchiveMigration that changes it."
      )
    case .dataCorrupted(let context):
      self.init(
        .invalidValue, type: type, keyPath: Self.keyPath(context.codingPath.dropFirst()),
        "The archive has a value that the type refuses. Correct it with an ArchiveMigration, or restore the archive from a copy."
      )
    @unknown default:
      self.init(.invalidValue, type: type, "The archive does not fit the type. Restore it from a copy.")
    }
  }

  init(_ error: EncodingError, type: String) {
    switch error {
    case .invalidValue(_, let context):
      self.init(
        .invalidValue, type: type, keyPath: Self.keyPath(context.codingPath.dropFirst()),
        "The value cannot be written into a property list (\(context.debugDescription)). Encode it as text or data.")
    @unknown default:
      self.init(
        .invalidValue, type: type, "The value cannot be written into a property list. Encode it as text or data.")
    }
  }

  /// Creates the error of a Codable type's `init(from:)` in a keyed archive.
  init(keyed error: DecodingError) {
    let path: [any CodingKey] =
      switch error {
      case .keyNotFound(let key, let context): context.codingPath + [key]
      case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
        context.codingPath
      @unknown default: []
      }
    self.init(
      .invalidValue, keyPath: Self.keyPath(path),
      "The archive has nothing here, or a value that the type refuses. Build the class with .building, which may correct it."
    )
  }

  /// Returns the error of a value that lies at a path in the archive.
  func within(_ path: some Sequence<any CodingKey>) -> ArchiveError {
    let keyPath = [Self.keyPath(path), keyPath].compactMap(\.self).joined(separator: ".")
    return ArchiveError(code, type: type, keyPath: keyPath.isEmpty ? nil : keyPath, message)
  }

  /// The keys and indexes of a path, joined by points.
  static func keyPath(_ path: some Sequence<any CodingKey>) -> String? {
    let names = path.map { key in key.intValue.map(String.init) ?? key.stringValue }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }
}
