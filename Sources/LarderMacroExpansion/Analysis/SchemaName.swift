import SwiftParser
import SwiftSyntax

/// A kind of name in the stored schema, with the rules that SQLite and Larder set for it.
enum SchemaName: String {
  case table
  case column
  case originalColumn = "original column"

  /// Returns the name in an argument; nil if there is none, or it is rejected.
  func read(_ expression: ExprSyntax, findings: inout Findings) -> String? {
    if expression.is(NilLiteralExprSyntax.self) { return nil }
    guard let name = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      findings.report(.nameIsNotLiteral(self), at: expression)
      return nil
    }
    return check(name, at: expression, findings: &findings) ? name : nil
  }

  /// Reports an invalid name, and returns whether the name is valid.
  func check(_ name: String, at node: some SyntaxProtocol, findings: inout Findings) -> Bool {
    let folded = name.foldedAsInSQLite
    if name.isEmpty {
      findings.report(.emptyName(self), at: node)
    } else if name.unicodeScalars.contains("\0") {
      findings.report(.nameHoldsNull(self), at: node)
    } else if self == .table, let prefix = ["sqlite_", "_larder"].first(where: folded.hasPrefix) {
      findings.report(.reservedTableName(name, prefix: prefix), at: node)
    } else if self == .column, folded == "_rowid" {
      findings.report(.reservedColumnName(name), at: node)
    } else {
      return true
    }
    return false
  }
}

extension String {
  /// SQLite considers names equal that only differ in the case of ASCII letters.
  var foldedAsInSQLite: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0 }))
  }
}
