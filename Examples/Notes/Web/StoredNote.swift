import Larder

/// What the panel "What is stored" shows.
struct StoredNote: Encodable {
  let file: String
  let table: String
  let columns: [Column]
  let files: [File]

  struct Column: Encodable {
    let name: String
    let storage: String
    let value: String
  }

  struct File: Encodable {
    let name: String
    let bytes: Int
  }
}

extension StoredNote.Column {
  /// The value as SQL would write it, without the quotes around a text.
  init(name: String, value: Value) {
    self.name = name
    switch value {
    case .null:
      storage = "NULL"
      self.value = ""
    case .integer(let number):
      storage = "INTEGER"
      self.value = String(number)
    case .real(let number):
      storage = "REAL"
      self.value = String(number)
    case .text(let text):
      storage = "TEXT"
      self.value = text
    case .blob(let bytes):
      storage = "BLOB"
      self.value = "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
