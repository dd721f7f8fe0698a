import SwiftDiagnostics
import SwiftSyntax

extension StoredPropertyReader {
  /// Checks a property's relationship and derivation.
  func checkRelationship(_ property: StoredProperty, findings: inout Findings) {
    checkRepetition(of: .relationship, findings: &findings)
    checkRepetition(of: .derived, findings: &findings)
    let type = property.visibleType
    let isRelationship = type?.isRelationship ?? false
    if isRelationship, property.type == nil {
      reportMissingType(property, findings: &findings)
    } else if let type, (type.wrapped ?? type).isRows {
      checkRows(property, type, findings: &findings)
    } else if let type, type.isReference {
      checkReference(property, type, findings: &findings)
    } else if let relationship {
      findings.report(
        .relationshipOnColumn(property.plainName), at: relationship,
        fixIts: [FixIt("remove '@Relationship'", .remove(relationship))])
    }
    if let derived { checkDerived(property, derived, isRelationship: isRelationship, findings: &findings) }
  }

  private func checkRepetition(of macro: MacroName, findings: inout Findings) {
    let applications = variable.attributes.applications(of: macro)
    guard applications.count > 1 else { return }
    findings.report(
      .repeatedRelationship(macro, on: variable.firstName), at: applications[1],
      fixIts: [FixIt("remove the second '\(macro.attribute)'", .remove(applications[1]))])
  }

  private func reportMissingType(_ property: StoredProperty, findings: inout Findings) {
    guard let type = property.visibleType else { return }
    let written = type.trimmedDescription
    findings.report(
      .relationshipWithoutType(property.plainName), at: property.identifier,
      fixIts: [
        FixIt(
          "write the type",
          .insert(": \(written.hasSuffix(">") ? written : "\(written)<<#Model#>>")", after: property.identifier))
      ])
  }
}

// MARK: - ToMany

extension StoredPropertyReader {
  private func checkRows(_ property: StoredProperty, _ type: TypeSyntax, findings: inout Findings) {
    for attribute in [attributes.first, embedded].compactMap(\.self) {
      let name = "@\(attribute.attributeName.trimmedDescription)"
      findings.report(
        .rowsWithColumn(name, property: property.plainName), at: attribute,
        fixIts: [FixIt("remove '\(name)'", .remove(attribute))])
    }
    if variable.isConstant {
      let keyword = variable.bindingSpecifier
      findings.report(
        .constantRows(property.plainName), at: keyword, fixIts: [FixIt("make it 'var'", .replace(keyword, with: "var"))]
      )
    }
    guard variable.bindings.count == 1, let binding = variable.bindings.first else {
      findings.report(.severalRows(property.plainName), at: property.identifier)
      return
    }
    if let wrapped = type.wrapped, let annotation = binding.typeAnnotation {
      let initializer = binding.initializer
      let value = initializer.map { FixIt.Change.replace($0, with: "= []") }
      let changes =
        [.replace(annotation.type, with: value == nil ? "\(wrapped) = []" : "\(wrapped)")] + (value.map { [$0] } ?? [])
      findings.report(
        .optionalRows(property.plainName), at: annotation.type,
        fixIts: [FixIt(message: Remedy(message: "make it '\(wrapped) = []'"), changes: changes)])
    } else if binding.initializer == nil {
      findings.report(
        .rowsWithoutDefault(property.plainName), at: property.identifier,
        fixIts: [
          FixIt(
            "give it the default value '[]'",
            .insert(" = []", after: binding.typeAnnotation.map { Syntax($0) } ?? Syntax(binding)))
        ])
    }
  }

  /// A `ToMany` has accessors in any case, and no column that `@Transient` could remove.
  func checkTransientRows(_ transient: AttributeSyntax, findings: inout Findings) {
    guard variable.bindings.contains(where: { ($0.typeAnnotation?.type).map { ($0.wrapped ?? $0).isRows } ?? false })
    else { return }
    findings.report(
      .rowsWithColumn("@Transient", property: variable.firstName), at: transient,
      fixIts: [FixIt("remove '@Transient'", .remove(transient))])
  }
}

// MARK: - ToOne

extension StoredPropertyReader {
  private func checkReference(_ property: StoredProperty, _ type: TypeSyntax, findings: inout Findings) {
    if let embedded {
      findings.report(
        .embeddedReference(property.plainName), at: embedded, fixIts: [FixIt("remove '@Embedded'", .remove(embedded))])
    }
    for (option, required) in [(AttributeOption.iso8601, "Date"), (.searchable, "String")] {
      guard let attribute = property.attribute, let argument = attribute.argument(for: option) else { continue }
      findings.report(
        .optionNeedsType(option, required, property: property.plainName, type: type.trimmedDescription),
        at: argument.expression,
        fixIts: [FixIt("remove '\(option.expression)'", .remove(argument, from: attribute.attribute))])
    }
    if let attribute = property.attribute, let argument = attribute.argument(for: .counter) {
      findings.report(
        .counterNeedsInteger(property: property.plainName, type: type.trimmedDescription), at: argument.expression,
        fixIts: [FixIt("remove '.counter'", .remove(argument, from: attribute.attribute))])
    }
    guard let relationship, let arguments = relationship.argumentList else { return }
    if let ordered = arguments.first(where: { $0.label?.text == "ordered" }) {
      findings.report(
        .orderedReference(property.plainName), at: ordered.expression,
        fixIts: [FixIt("remove 'ordered'", .remove(ordered, from: relationship))])
    }
    guard type.wrapped == nil, let rule = arguments.first(where: { $0.label?.text == "deleteRule" }),
      let name = rule.expression.as(MemberAccessExprSyntax.self)?.declName.baseName, name.text == "nullify"
    else { return }
    let annotation = variable.bindings.last?.typeAnnotation
    findings.report(
      .nullifiedReference(property.plainName), at: rule.expression,
      fixIts: (annotation.map { [FixIt("make it optional", .insert("?", after: $0))] } ?? []) + [
        FixIt("use '.deny'", .replace(name, with: "deny")), FixIt("use '.cascade'", .replace(name, with: "cascade")),
      ])
  }
}

// MARK: - @Derived

extension StoredPropertyReader {
  private func checkDerived(
    _ property: StoredProperty, _ derived: AttributeSyntax, isRelationship: Bool, findings: inout Findings
  ) {
    let removal = FixIt("remove '@Derived'", .remove(derived))
    guard !isRelationship else {
      findings.report(.derivedRelationship(property.plainName), at: derived, fixIts: [removal])
      return
    }
    if let embedded {
      findings.report(
        .derivedEmbedded(property.plainName), at: derived,
        fixIts: [removal, FixIt("remove '@Embedded'", .remove(embedded))])
    }
    for option in [AttributeOption.primaryKey, .unique, .searchable, .counter] {
      guard let attribute = property.attribute, let argument = attribute.argument(for: option) else { continue }
      findings.report(
        .derivedOption(option, property: property.plainName), at: argument.expression,
        fixIts: [FixIt("remove '\(option.expression)'", .remove(argument, from: attribute.attribute))])
    }
    if variable.isConstant {
      let keyword = variable.bindingSpecifier
      findings.report(
        .constantDerived(property.plainName), at: keyword,
        fixIts: [FixIt("make it 'var'", .replace(keyword, with: "var"))])
    }
    if property.initialValue == nil, property.type?.defaultsToNil != true || variable.isConstant {
      findings.report(
        .derivedWithoutDefault(property.plainName), at: property.identifier,
        fixIts: defaultValues(of: property, derived))
    }
  }

  /// Checks the default of a derivation: without rows there is no least and no greatest value.
  private func defaultValues(of property: StoredProperty, _ derived: AttributeSyntax) -> [FixIt] {
    guard let annotation = variable.bindings.last?.typeAnnotation else { return [] }
    if property.type?.wrapped != nil {
      return [FixIt("give it the default value 'nil'", .insert(" = nil", after: annotation))]
    }
    let call = derived.argumentList?.first?.expression.as(FunctionCallExprSyntax.self)?.calledExpression
    let name = call?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    return name == "min" || name == "max"
      ? [FixIt("make it optional", .insert("?", after: annotation))]
      : [FixIt("give it the default value '0'", .insert(" = 0", after: annotation))]
  }
}
