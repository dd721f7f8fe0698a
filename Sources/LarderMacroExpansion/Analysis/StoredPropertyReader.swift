import SwiftDiagnostics
import SwiftSyntax

/// Reads the stored properties of one `var` or `let`, and checks their attributes.
struct StoredPropertyReader {
  let variable: VariableDeclSyntax
  let attributes: [AttributeSyntax]
  let embedded: AttributeSyntax?
  private let transient: AttributeSyntax?
  let relationship: AttributeSyntax?
  let derived: AttributeSyntax?

  var isTransient: Bool { transient != nil }

  init(_ variable: VariableDeclSyntax) {
    self.variable = variable
    attributes = variable.attributes.applications(of: .attribute)
    embedded = variable.attributes.applications(of: .embedded).first
    transient = variable.attributes.applications(of: .transient).first
    relationship = variable.attributes.applications(of: .relationship).first
    derived = variable.attributes.applications(of: .derived).first
  }

  func read(findings: inout Findings) -> [StoredProperty] {
    if let lazy = variable.modifier(.lazy) {
      findings.report(.lazyProperty(variable.firstName), at: lazy, fixIts: [.markTransient(variable)])
      return []
    }
    if attributes.count > 1 {
      findings.report(.repeatedAttribute(variable.firstName), at: attributes[1])
    }
    let arguments = attributes.first.map { AttributeArguments($0, findings: &findings) }
    if let embedded, let arguments {
      let isKey = arguments.argument(for: .primaryKey) != nil
      findings.report(
        isKey ? .embeddedKey(variable.firstName) : .embeddedWithAttribute(variable.firstName), at: arguments.attribute,
        fixIts: [
          FixIt("remove '@Attribute'", .remove(arguments.attribute)), FixIt("remove '@Embedded'", .remove(embedded)),
        ])
    }
    let properties = readBindings(arguments, findings: &findings)
    for property in properties {
      check(property, findings: &findings)
    }
    return properties
  }

  private func readBindings(_ arguments: AttributeArguments?, findings: inout Findings) -> [StoredProperty] {
    var properties: [StoredProperty] = []
    var following: TypeSyntax?
    for binding in variable.bindings.reversed() {
      let type = binding.typeAnnotation?.type.trimmed ?? (binding.initializer == nil ? following : nil)
      following = type
      guard let identifier = binding.name else {
        findings.report(.destructuring, at: binding.pattern)
        continue
      }
      properties.append(
        StoredProperty(
          identifier: identifier, declaration: variable, type: type, initialValue: binding.initializer?.value,
          storage: storage(of: type), attribute: arguments, relationship: relationship?.argumentList,
          derivation: derived?.argumentList?.first?.expression))
    }
    return properties.reversed()
  }
}

extension StoredPropertyReader {
  private func storage(of type: TypeSyntax?) -> StoredProperty.Storage {
    if embedded != nil { return .embedded }
    guard let type else { return .column }
    return type.isReference ? .reference : type.isRows ? .rows : .column
  }
}

extension AttributeSyntax {
  /// The arguments in parentheses; nil if there are none.
  var argumentList: LabeledExprListSyntax? {
    if case .argumentList(let arguments)? = arguments { arguments } else { nil }
  }
}

// MARK: - What a single property may be

extension StoredPropertyReader {
  private func check(_ property: StoredProperty, findings: inout Findings) {
    if variable.isConstant, property.initialValue != nil, property.storage != .rows, derived == nil {
      let keyword = variable.bindingSpecifier
      findings.report(
        .constantWithValue(property.plainName), at: keyword,
        fixIts: [
          FixIt("make it 'var'", .replace(keyword, with: "var")),
          FixIt("make it 'static let'", .replace(keyword, with: "static let")),
          .markTransient(variable),
        ])
    }
    if property.plainName == "Type" {
      findings.report(.nameInKeyPath(property.plainName), at: property.identifier)
    }
    if property.attribute?.name == nil {
      _ = SchemaName.column.check(property.plainName, at: property.identifier, findings: &findings)
    }
    checkRelationship(property, findings: &findings)
    switch property.storage {
    case .column: checkOptions(of: property, findings: &findings)
    case .embedded: checkEmbedded(property, findings: &findings)
    case .reference, .rows: break
    }
  }

  private func checkOptions(of property: StoredProperty, findings: inout Findings) {
    guard let attribute = property.attribute, let type = property.visibleType else { return }
    for (option, required) in [(AttributeOption.iso8601, "Date"), (.searchable, "String")]
    where type.isVisiblyNot(required) {
      guard let argument = attribute.argument(for: option) else { continue }
      findings.report(
        .optionNeedsType(option, required, property: property.plainName, type: type.trimmedDescription),
        at: argument.expression,
        fixIts: [FixIt("remove '\(option.expression)'", .remove(argument, from: attribute.attribute))])
    }
    checkCounter(property, attribute, type, findings: &findings)
  }

  private func checkCounter(
    _ property: StoredProperty, _ attribute: AttributeArguments, _ type: TypeSyntax, findings: inout Findings
  ) {
    guard let argument = attribute.argument(for: .counter) else { return }
    let removal = FixIt("remove '.counter'", .remove(argument, from: attribute.attribute))
    if derived == nil, type.isVisiblyNoInteger {
      findings.report(
        .counterNeedsInteger(property: property.plainName, type: type.trimmedDescription), at: argument.expression,
        fixIts: [removal])
    } else if let unique = attribute.argument(for: .unique) {
      findings.report(
        .counterIsUnique(property.plainName), at: argument.expression,
        fixIts: [removal, FixIt("remove '.unique'", .remove(unique, from: attribute.attribute))])
    }
  }

  private func checkEmbedded(_ property: StoredProperty, findings: inout Findings) {
    guard let embedded, property.type.map({ !$0.isRelationship }) ?? true else { return }
    let removal = FixIt("remove '@Embedded'", .remove(embedded))
    guard let type = property.type else {
      let written = property.visibleType?.trimmedDescription ?? "<#Type#>"
      findings.report(
        .embeddedWithoutType(property.plainName), at: property.identifier,
        fixIts: [FixIt("write the type", .insert(": \(written)", after: property.identifier))])
      return
    }
    if type.wrapped != nil {
      findings.report(.embeddedOptional(property.plainName), at: property.identifier, fixIts: [removal])
    } else if type.isVisiblyUnnamed {
      findings.report(
        .embeddedNeedsStruct(property.plainName, type: type.trimmedDescription), at: property.identifier,
        fixIts: [removal])
    }
  }
}

// MARK: - @Transient

extension StoredPropertyReader {
  func checkTransient(findings: inout Findings) {
    guard let transient else { return }
    checkTransientRows(transient, findings: &findings)
    if let attribute = attributes.first ?? embedded ?? relationship ?? derived {
      let name = "@\(attribute.attributeName.trimmedDescription)"
      findings.report(
        .transientWithOther(name, property: variable.firstName), at: attribute,
        fixIts: [FixIt("remove '\(name)'", .remove(attribute)), FixIt("remove '@Transient'", .remove(transient))])
    }
    for binding in variable.bindings where binding.initializer == nil {
      let type = binding.typeAnnotation?.type
      guard let name = binding.name, variable.isConstant || type?.defaultsToNil != true else { continue }
      let value = type?.wrapped == nil ? "<#value#>" : "nil"
      findings.report(
        .transientWithoutDefault(name.plainName), at: binding.pattern,
        fixIts: [FixIt("give it a default value", .insert(" = \(value)", after: binding))])
    }
  }
}

extension FixIt {
  fileprivate static func markTransient(_ variable: VariableDeclSyntax) -> FixIt {
    FixIt("mark it '@Transient'", .insert("@Transient ", before: variable))
  }
}
