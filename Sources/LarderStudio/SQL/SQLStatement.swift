import HTTPTypes

/// A statement that a person wrote, as far as the studio has to know what it does beyond the rows of the file.
struct SQLStatement {
  /// The pragmas that may have an argument: those that look at something, and those that act on the file alone. Others
  /// set what holds for later statements, some of them in the whole process. Source:
  /// <https://www.sqlite.org/pragma.html>.
  private static let pragmasOfFile: Set = [
    "APPLICATION_ID", "FOREIGN_KEY_CHECK", "FOREIGN_KEY_LIST", "INCREMENTAL_VACUUM", "INDEX_INFO", "INDEX_LIST",
    "INDEX_XINFO", "INTEGRITY_CHECK", "OPTIMIZE", "QUICK_CHECK", "TABLE_INFO", "TABLE_LIST", "TABLE_XINFO",
    "USER_VERSION", "WAL_CHECKPOINT",
  ]

  private let tokens: ArraySlice<SQLToken>

  private init(_ tokens: ArraySlice<SQLToken>) {
    var tokens = tokens
    // Some pragmas act while they are compiled, in a statement that is only explained too.
    for word in ["EXPLAIN", "QUERY", "PLAN"] where tokens.first == .word(word) { tokens = tokens.dropFirst() }
    self.tokens = tokens
  }

  /// Returns the statements of a text, and those within triggers. A store executes no text with several, but compiles
  /// the second one to find that out.
  static func statements(in sql: String) -> [SQLStatement] {
    SQLToken.tokens(of: sql).split { $0 == .mark(UInt8(ascii: ";")) }.map(SQLStatement.init)
  }

  /// The first word, in capital letters and without `EXPLAIN`; nil if there is none.
  var verb: String? { if case .word(let word) = tokens.first { word } else { nil } }

  /// Throws `Refusal` for a statement that reaches other files, or changes more than the file.
  func requireOwnFile() throws {
    switch verb {
    case "ATTACH", "DETACH":
      throw Refusal(
        .forbidden, "The studio shows one file, and attaches no other. Open the other file in a studio of its own.")
    case "VACUUM" where tokens.contains(.word("INTO")):
      throw Refusal(.forbidden, "The studio writes no other file. Copy this one with larder backup.")
    case "PRAGMA":
      guard let name = pragmaWithArgument, !Self.pragmasOfFile.contains(name) else { break }
      throw Refusal(
        .forbidden, "\(name.lowercased()) would hold for later statements too. The studio changes the file alone.")
    default: break
    }
    try requireNoAddresses()
  }

  /// Throws for a call of the function that returns and takes addresses in memory, which some builds of SQLite have.
  private func requireNoAddresses() throws {
    let calls = zip(tokens, tokens.dropFirst()).filter { $1 == .mark(UInt8(ascii: "(")) }
    guard calls.contains(where: { $0.0.name == "FTS3_TOKENIZER" }) else { return }
    throw Refusal(.forbidden, "fts3_tokenizer reaches into the memory of the process. The studio doesn't call it.")
  }

  /// The name of the pragma, if something follows it.
  private var pragmaWithArgument: String? {
    var rest = tokens.dropFirst()
    if rest.dropFirst().first == .mark(UInt8(ascii: ".")) { rest = rest.dropFirst(2) }
    return rest.count > 1 ? rest.first?.name : nil
  }
}
