import Foundation

extension Connection {
  /// Returns the error of SQL by hand that lists the names that there are, if the SQL has another one.
  func naming(_ error: StoreError, in sql: String) -> StoreError {
    if error.message.contains("near \".\": syntax error") {
      return error.adding("In SET, USING and lists of columns, write \\(name: Model.columns.property).")
    }
    if error.message.contains("no such table: ") {
      let models = environment.tables.map { $0.name == $0.model ? $0.name : "\($0.name) (\($0.model))" }.sorted()
      return error.adding("There are \(Self.list(models)).")
    }
    guard let name = error.message.name(after: "no such column: ") else { return error }
    let parts = name.split(separator: ".").map(String.init)
    let named = environment.tables.filter { table in
      parts.count > 1 && table.name.isSameColumn(as: parts[parts.count - 2])
        || sql.range(of: table.name, options: .caseInsensitive) != nil
    }
    guard !named.isEmpty else { return error }
    let columns = named.map { table in
      "\(table.name) has \(Self.list(table.columns.map { $0.name == $0.property ? $0.name : "\($0.name) (\($0.property))" }))"
    }
    return error.adding("\(columns.joined(separator: "; ")).")
  }

  private static func list(_ names: [String]) -> String {
    let limit = 30
    let rest = names.count > limit ? " and \(names.count - limit) more" : ""
    return names.prefix(limit).joined(separator: ", ") + rest
  }
}

extension StoreError {
  fileprivate func adding(_ remedy: String) -> StoreError {
    StoreError(
      code, model: model, property: property, key: key, "\(message)\(message.hasSuffix(".") ? "" : ".") \(remedy)")
  }
}

extension String {
  /// Returns the word after the given text.
  fileprivate func name(after text: String) -> String? {
    guard let range = range(of: text) else { return nil }
    return String(self[range.upperBound...].prefix { !$0.isWhitespace && $0 != ")" && $0 != "," })
  }
}
