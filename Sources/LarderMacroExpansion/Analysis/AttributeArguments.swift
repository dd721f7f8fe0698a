import SwiftDiagnostics
import SwiftSyntax

/// The options of `@Attribute`. The names are those of the library's `AttributeOption`.
enum AttributeOption: String, CaseIterable {
  case primaryKey
  case unique
  case indexed
  case searchable
  case iso8601
  case counter

  /// The name as in source code and in messages.
  var expression: String { ".\(rawValue)" }

  /// Returns the option that a misspelled name most likely means.
  init?(resembling name: String) {
    let distances = Self.allCases.map { ($0, name.difference(from: $0.rawValue).count) }
    guard let (option, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= 3 else { return nil }
    self = option
  }
}

/// The arguments of one `@Attribute`, parsed and checked.
struct AttributeArguments {
  let attribute: AttributeSyntax
  private(set) var options: [(option: AttributeOption, argument: LabeledExprSyntax)] = []
  private(set) var name: String?
  private(set) var nameArgument: LabeledExprSyntax?
  private(set) var originalName: String?
  private(set) var originalNameArgument: LabeledExprSyntax?

  init(_ attribute: AttributeSyntax, findings: inout Findings) {
    self.attribute = attribute
    guard case .argumentList(let arguments) = attribute.arguments else { return }
    for argument in arguments {
      switch argument.label?.text {
      case nil:
        readOption(argument, findings: &findings)
      case "name":
        name = SchemaName.column.read(argument.expression, findings: &findings)
        nameArgument = name.map { _ in argument }
      case "originalName":
        originalName = SchemaName.originalColumn.read(argument.expression, findings: &findings)
        originalNameArgument = originalName.map { _ in argument }
      default:
        break  // The type checker knows no such label and says so.
      }
    }
  }

  func argument(for option: AttributeOption) -> LabeledExprSyntax? {
    options.first { $0.option == option }?.argument
  }

  private mutating func readOption(_ argument: LabeledExprSyntax, findings: inout Findings) {
    guard let member = argument.expression.as(MemberAccessExprSyntax.self),
      member.base.map(\.namesAttributeOption) ?? true
    else {
      findings.report(.optionIsNotWrittenOut(argument.expression.trimmedDescription), at: argument.expression)
      return
    }
    let name = member.declName.baseName
    if let option = AttributeOption(rawValue: name.text) {
      if self.argument(for: option) == nil { options.append((option, argument)) }
    } else if let meant = AttributeOption(resembling: name.text) {
      findings.report(
        .unknownOption(name.text), at: name,
        fixIts: [FixIt("use '\(meant.expression)'", .replace(name, with: meant.rawValue))])
    } else {
      findings.report(.unknownOption(name.text), at: name)
    }
  }
}

extension ExprSyntax {
  fileprivate var namesAttributeOption: Bool {
    ["AttributeOption", "Larder.AttributeOption"].contains(trimmedDescription)
  }
}
