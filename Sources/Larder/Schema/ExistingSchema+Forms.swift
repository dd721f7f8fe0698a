extension ExistingSchema {
  /// Determines the formats of the columns with one scan of each table whose rules don't guarantee Larder's formats.
  func adoptedColumns() throws -> AdoptedColumns {
    var adopted = AdoptedColumns(tables)
    var first = 0
    for table in tables {
      defer { first += table.columns.count }
      guard let state = try TableState.read(table.name, from: connection) else { continue }
      try look(at: table, state, from: first, &adopted)
    }
    return adopted
  }

  private func look(
    at table: TableDefinition, _ state: TableState, from first: Int, _ adopted: inout AdoptedColumns
  ) throws {
    let columns = table.columns.enumerated().map { offset, column in
      FormOfColumn(
        column, state.column(column.name), isStrict: state.isStrict, isKeyRowID: table.isKeyRowID && column.isKey,
        number: first + offset,
        collation: AdoptedCollation(connection.collation(of: column.name, in: state.name)))
    }
    let questions = columns.flatMap(\.questions)
    let answers: Row? =
      questions.isEmpty
      ? nil : try connection.query("SELECT \(questions.joined(separator: ", ")) FROM \(Quoting.name(state.name))").first
    for column in columns {
      let kind = column.kind(answers)
      guard kind != .native || column.collation != nil else { continue }
      let name = Quoting.name(column.definition.name)
      let order = state.rowNumber.map { state.isView ? "" : " ORDER BY \($0) DESC" } ?? ""
      let sql = """
        SELECT \(name) AS value FROM \(Quoting.name(state.name)) \
        WHERE \(name) IS NOT NULL AND (typeof(\(name)) <> 'text' OR larder_is_text(\(name))) \
        AND larder_is_readable(\(name), \(column.number))\(order) LIMIT 1
        """
      let example = kind == .mixed ? try connection.query(sql).first?["value"] : nil
      adopted.set(kind, column.collation, example: example ?? .null, at: column.number, of: table.name)
    }
  }
}

/// The checks of a column that tell whether SQL compares its values as Swift does.
private struct FormOfColumn {
  let definition: TableDefinition.Column
  let number: Int
  private let state: TableState.Column?
  private let isStrict: Bool
  private let isKeyRowID: Bool
  /// How the file compares texts; nil if it compares them as Swift does, or the values aren't compared as texts.
  let collation: AdoptedCollation?

  init(
    _ definition: TableDefinition.Column, _ state: TableState.Column?, isStrict: Bool, isKeyRowID: Bool, number: Int,
    collation: AdoptedCollation?
  ) {
    self.definition = definition
    self.state = state
    self.isStrict = isStrict
    self.isKeyRowID = isKeyRowID
    self.number = number
    let isText = definition.type.storageClass == .text && definition.type.order == .stored
    self.collation = isText ? collation : nil
  }

  private var type: ColumnType { definition.type }

  /// The kinds of stored value in Larder's format of the type.
  private var nativeKinds: [String] {
    switch type.storageClass {
    case .integer: ["integer"]
    case .real: ["real"]
    case .text: ["text"]
    case .blob: ["blob"]
    }
  }

  /// Whether values of the right kind may still be in another format.
  private var looksAtValues: Bool {
    type.numberForm != nil || (definition.isKey && type.order != .stored)
  }

  /// The SQL condition that a value of the right kind can't be read; nil if every one can. JSON is always converted
  /// where it is compared.
  private var isUnreadable: String? {
    let name = Quoting.name(definition.name)
    let isEnum = definition.cases != nil || definition.isOpenEnded
    switch type.storageClass {
    case .text:
      let isPlain = definition.holdsAnyText || type.isJSON
      return isPlain ? "typeof(\(name)) = 'text' AND NOT larder_is_text(\(name))" : isRefused
    case .integer: return isEnum || type.integerRange != nil ? isRefused : nil
    case .blob: return isEnum || type.textForm == .uuid ? isRefused : nil
    case .real: return isEnum ? isRefused : nil
    }
  }

  private var isRefused: String { "NOT larder_is_readable(\(Quoting.name(definition.name)), \(number))" }

  /// SQLite converts text that is compared with a numeric column to a number:
  /// <https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>.
  private var turnsTextIntoNumbers: Bool {
    guard type.storageClass == .text, let declared = state?.declaredType.uppercased() else { return false }
    if declared.contains("INT") { return true }
    return !declared.isEmpty && !["CHAR", "CLOB", "TEXT", "BLOB"].contains(where: declared.contains)
  }

  /// The columns of the result: each is 1 if the check holds for some row.
  var questions: [String] {
    let isExpected = isStrict && state?.declaredType.uppercased() == type.storageClass.rawValue
    if isKeyRowID || (isExpected && !looksAtValues && isUnreadable == nil) { return [] }
    let name = Quoting.name(definition.name)
    func isNone(of kinds: [String]) -> String {
      "typeof(\(name)) NOT IN (\((kinds + ["null"]).map { "'\($0)'" }.joined(separator: ", ")))"
    }
    var other = isNone(of: nativeKinds)
    if type.numberForm == .boolean {
      other += " OR \(name) NOT IN (0, 1)"
    } else if looksAtValues {
      other += " OR NOT larder_is_native(\(name), \(number))"
    } else if let isUnreadable {
      other += " OR (\(isUnreadable))"
    }
    let questions = ["max(\(other)) AS \(answer("other"))"]
    guard type.storageClass == .real, [nil, .date].contains(type.textForm), type.numberForm == nil else {
      return questions
    }
    return questions + ["max(\(isNone(of: ["real", "integer"]))) AS \(answer("nonnumber"))"]
  }

  private func answer(_ kind: String) -> String { "\(kind)_\(number)" }

  func kind(_ answers: Row?) -> AdoptedColumns.Kind {
    if turnsTextIntoNumbers { return .mixed }
    guard answers?[answer("other")] == 1 else { return type.isJSON ? .json : .native }
    return answers?[answer("nonnumber")] == 0 ? .integers : .mixed
  }
}
