import SwiftSyntax

extension MemberBlockItemListSyntax {
  /// The declarations, each on a line of its own.
  init(lines declarations: [DeclSyntax]) {
    self.init(
      declarations.enumerated().map { index, declaration in
        MemberBlockItemSyntax(decl: declaration.with(\.leadingTrivia, index == 0 ? [] : .newline))
      })
  }
}

extension CodeBlockItemListSyntax {
  /// The statements, each on a line of its own.
  init(lines statements: [CodeBlockItemSyntax]) {
    self.init(
      statements.enumerated().map { index, statement in statement.with(\.leadingTrivia, index == 0 ? [] : .newline) })
  }
}
