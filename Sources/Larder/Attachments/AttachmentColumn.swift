/// A JSON column in which rows may refer to attachments, and the triggers that count these references.
struct AttachmentColumn {
  let table: String
  let name: String
  /// Whether the column holds values of any kind that rows had, so that nothing is refused.
  var isLoose = false

  /// The prefix of these triggers' names.
  static let prefix = "\(ReservedNames.prefix)attachment_"

  /// Returns all such columns: those of models, including models that the program doesn't declare and properties that
  /// were removed, and documents.
  static func all(_ connection: Connection) throws -> [AttachmentColumn] {
    var columns: [AttachmentColumn] = []
    if try Catalogue.exists(in: connection) {
      for table in try connection.query("SELECT name FROM main.\(Catalogue.modelsTable) ORDER BY name").compactMap({
        $0["name"]?.text
      }) {
        guard let entry = try Catalogue.entry(of: table, in: connection) else { continue }
        let state = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(table)))").filter {
          $0["type"]?.text == "TEXT"
        }
        for name in state.compactMap({ $0["name"]?.text })
        where entry.column(name)?.type.isJSON ?? entry.retired.contains(name) {
          columns.append(AttachmentColumn(table: table, name: name))
        }
      }
    }
    return columns
      + (try connection.environment.features.all(as: (any AttachmentReferring).self).flatMap {
        try $0.attachmentColumns(connection)
      })
  }

  // MARK: SQL

  /// Returns the SQL for the rows of json_tree that refer to attachments in a text.
  static func names(in text: String, named alias: String) -> String {
    "json_tree(CASE WHEN json_valid(\(text)) THEN \(text) ELSE 'null' END) AS \(alias) WHERE \(isName(alias))"
  }

  /// Returns the condition that a row of json_tree refers to an attachment.
  private static func isName(_ row: String) -> String {
    "\(row).key = 'larder.attachment' AND \(row).type = 'text' AND length(\(row).atom) = 64 AND \(row).atom NOT GLOB '*[^0-9a-f]*'"
  }

  /// Returns a condition that is quickly false for a text without attachments.
  static func mayName(_ text: String) -> String { "instr(\(text), '\"larder.attachment\"') > 0" }

  /// Returns the SQL for the attachments that the rows refer to. In `columns`, `t` is the row and `j.atom` the digest.
  func rows(_ columns: String) -> String {
    let text = text(of: "t")
    return
      "SELECT \(columns) FROM main.\(Quoting.name(table)) AS t, \(Self.names(in: text, named: "j")) AND \(Self.mayName(text))"
  }

  private func count(_ sign: String, _ text: String) -> String {
    """
    UPDATE \(AttachmentTable.name) SET version = version + 1, uses = uses \(sign) \
    (SELECT count(*) FROM \(Self.names(in: text, named: "j")) AND j.atom = \(AttachmentTable.name).digest) \
    WHERE digest IN (SELECT j.atom FROM \(Self.names(in: text, named: "j")))
    """
  }

  /// Returns SQL that rejects a row that refers to data that the store doesn't have.
  private func require(_ text: String) -> String {
    """
    SELECT RAISE(ABORT, \(Quoting.literal(.text("\(AttachmentTable.refusal)\(table).\(name)")))) WHERE EXISTS \
    (SELECT 1 FROM \(Self.names(in: text, named: "j")) AND j.atom NOT IN (SELECT digest FROM \(AttachmentTable.name)))
    """
  }

  /// Returns SQL that rejects unregistered data, or in a loose column registers it, so that a reference that was counted
  /// when it came is also counted when it goes.
  private func required(_ text: String) -> [String] {
    isLoose ? ["\(register) \(Self.names(in: text, named: "j")) ON CONFLICT DO NOTHING"] : [require(text)]
  }

  private var register: String {
    "INSERT INTO \(AttachmentTable.name) (digest, size) SELECT DISTINCT j.atom, -1 FROM"
  }

  /// Returns SQL that registers the data that rows of a loose column refer to.
  var registration: String? {
    guard isLoose else { return nil }
    let text = text(of: "t")
    return
      "INSERT INTO main.\(AttachmentTable.name) (digest, size) SELECT DISTINCT j.atom, -1 FROM main.\(Quoting.name(table)) AS t, \(Self.names(in: text, named: "j")) AND \(Self.mayName(text)) ON CONFLICT DO NOTHING"
  }

  /// The value of the column as SQL; NULL if it isn't a text.
  private func text(of row: String) -> String {
    let column = "\(row).\(Quoting.name(name))"
    return isLoose ? "CASE typeof(\(column)) WHEN 'text' THEN \(column) END" : column
  }

  /// The triggers. For rows without attachments, each only searches for a word.
  var triggers: [SchemaTrigger] {
    let column = Quoting.name(name)
    let (old, new) = (text(of: "OLD"), text(of: "NEW"))
    func trigger(_ kind: String, _ event: String, _ condition: String, _ statements: [String]) -> SchemaTrigger {
      SchemaTrigger("\(Self.prefix)\(kind)_\(table).\(name)", event, on: table, when: condition, statements)
    }
    return [
      trigger("insert", "AFTER INSERT", Self.mayName(new), required(new) + [count("+", new)]),
      trigger("delete", "AFTER DELETE", Self.mayName(old), [count("-", old)]),
      trigger(
        "update", "AFTER UPDATE OF \(column)",
        "\(old) IS NOT \(new) AND (\(Self.mayName(old)) OR \(Self.mayName(new)))",
        required(new) + [count("+", new), count("-", old)]),
    ]
  }
}
