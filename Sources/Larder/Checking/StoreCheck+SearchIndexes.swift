import GRDBSQLite

/// A fingerprint of a column in a full-text index: equal for equal words at equal positions, and different for others
/// except with negligible probability.
private struct WordFingerprint: Equatable {
  private(set) var sums: [UInt64]

  init(columns: Int) { sums = Array(repeating: 0, count: columns) }

  /// Adds a word. Sums don't depend on the order, which may differ.
  mutating func add(_ word: UnsafeRawBufferPointer, row: Int64, column: Int, offset: Int64) {
    // FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in word { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = Self.mixed(hash ^ UInt64(bitPattern: row))
    sums[column] &+= Self.mixed(hash ^ UInt64(bitPattern: offset))
  }

  /// The last step of SplitMix64: <https://prng.di.unimi.it/splitmix64.c>.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension StoreCheck {
  /// The number of rows to tokenize at a time.
  private static let batch = 200
  private static let indexWords = "temp._larder_check_index"
  private static let text = "\(ReservedNames.prefix)check_text"
  private static let textWords = "temp._larder_check_words"

  /// Compares the index with the words of the table's rows, which a temporary index tokenizes a few at a time.
  ///
  /// FTS5's own 'integrity-check' is a command that writes: it would block all writers, and a read-only store couldn't
  /// be checked.
  func checkSearchIndex(of table: TableDefinition) throws {
    do {
      let stale = try connection.inOneView { try staleColumns(of: table) }
      for column in stale { addStale(table, property: table.column(column)?.property) }
    } catch let error as StoreError
      where Self.isDamage(error) || error.code == .unsupported || error.code == .schemaMismatch
    {
      addStale(table, property: nil)
    }
  }

  private func addStale(_ table: TableDefinition, property: String?) {
    let index = Quoting.name(SearchClause.table(of: table.name))
    let place = [table.model, property].compactMap { $0 }.joined(separator: ".")
    add(
      .searchIndex, model: table.model, property: property, table: table.name,
      "The full-text index of \(place) does not have the words of its rows. Make it anew: INSERT INTO \(index) (\(index)) VALUES ('rebuild')."
    )
  }

  /// Returns the columns whose words differ in the index. Everything created for this is deleted when the read
  /// transaction ends.
  private func staleColumns(of table: TableDefinition) throws -> [String] {
    let columns = table.searchable
    let list = columns.map(Quoting.name).joined(separator: ", ")
    let index = Quoting.literal(.text(SearchClause.table(of: table.name)))
    try connection.change("CREATE VIRTUAL TABLE \(Self.indexWords) USING fts5vocab(main, \(index), instance)")
    let tokenizer = Quoting.literal(.text(try SearchWords.tokenizer(ofIndexOf: table.name, in: connection)))
    try connection.change(
      "CREATE VIRTUAL TABLE temp.\(Self.text) USING fts5(\(list), content='', tokenize=\(tokenizer))")
    try connection.change("CREATE VIRTUAL TABLE \(Self.textWords) USING fts5vocab(temp, '\(Self.text)', instance)")
    var indexed = WordFingerprint(columns: columns.count)
    try read(Self.indexWords, columns, into: &indexed)
    var stored = WordFingerprint(columns: columns.count)
    let row = Quoting.name(table.rowIDColumn)
    let source = "main.\(Quoting.name(table.name))"
    // SQLite never chooses the smallest integer as a row ID, but it may be a key.
    var (last, comparison) = (Int64.min, ">=")
    while true {
      let page =
        "SELECT \(row) AS number, \(list) FROM \(source) WHERE \(row) \(comparison) ?1 ORDER BY \(row) LIMIT \(Self.batch)"
      let end = try connection.query("SELECT max(number) AS number FROM (\(page))", [.integer(last)]).first?["number"]?
        .integer
      guard let end else { break }
      try connection.change("INSERT INTO temp.\(Self.text) (rowid, \(list)) \(page)", [.integer(last)])
      try read(Self.textWords, columns, into: &stored)
      try connection.change("INSERT INTO temp.\(Self.text) (\(Self.text)) VALUES ('delete-all')")
      (last, comparison) = (end, ">")
    }
    return columns.indices.filter { indexed.sums[$0] != stored.sums[$0] }.map { columns[$0] }
  }

  private func read(_ words: String, _ columns: [String], into fingerprint: inout WordFingerprint) throws {
    try forEachRow("SELECT term, doc, col, offset FROM \(words)") { statement in
      let pointer = statement.pointer
      guard let name = sqlite3_column_text(pointer, 2),
        let column = columns.firstIndex(where: { $0 == String(cString: name) })
      else {
        throw StoreError(.corrupt, "The full-text index has a word of a column that is not its own.")
      }
      let term = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(pointer, 0), count: Int(sqlite3_column_bytes(pointer, 0)))
      fingerprint.add(
        term, row: sqlite3_column_int64(pointer, 1), column: column, offset: sqlite3_column_int64(pointer, 3))
    }
  }
}
