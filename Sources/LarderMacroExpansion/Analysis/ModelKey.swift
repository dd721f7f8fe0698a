import SwiftDiagnostics
import SwiftSyntax

/// The properties that identify a row.
enum ModelKey {
  /// The property named `id`.
  case id(StoredProperty)
  /// A single property of another name, and its type.
  case renamed(KeyProperty)
  case composite([KeyProperty])

  /// A property of the key, whose type the generated identity repeats.
  struct KeyProperty {
    let property: StoredProperty
    let type: TypeSyntax
  }

  init?(_ declaration: StructDeclaration, findings: inout Findings) {
    let stored = declaration.body.stored
    let marked = stored.filter { $0.isMarked(.primaryKey) }
    // A marked embedded property was already reported, and says nothing about the others.
    guard marked.allSatisfy(\.isColumn) else { return nil }
    let id = stored.first { $0.plainName == "id" }
    guard !marked.isEmpty || id != nil else {
      Self.reportMissing(declaration, findings: &findings)
      return nil
    }
    let key = marked.isEmpty ? id.map { [$0] } ?? [] : marked
    Self.check(key, findings: &findings)

    if let id, key.count == 1, key[0].plainName == "id" {
      self = .id(id)
      return
    }
    Self.reportConflicts(declaration, id: id, key: key, findings: &findings)
    let properties = key.compactMap { property in
      property.type.map { KeyProperty(property: property, type: $0.standalone) }
    }
    guard properties.count == key.count, let first = properties.first else {
      for property in key where property.type == nil {
        let type = property.visibleType?.trimmedDescription ?? "<#Type#>"
        findings.report(
          .keyWithoutType(property.plainName), at: property.identifier,
          fixIts: [FixIt("write the type", .insert(": \(type)", after: property.identifier))])
      }
      return nil
    }
    self = properties.count == 1 ? .renamed(first) : .composite(properties)
  }

  func contains(_ property: StoredProperty) -> Bool {
    switch self {
    case .id(let id): id.identifier == property.identifier
    case .renamed(let key): key.property.identifier == property.identifier
    case .composite(let keys): keys.contains { $0.property.identifier == property.identifier }
    }
  }
}

extension ModelKey {
  private static func check(_ key: [StoredProperty], findings: inout Findings) {
    for property in key {
      if property.storage == .embedded, property.attribute == nil {
        findings.report(.embeddedKey(property.plainName), at: property.identifier)
      }
      if let attribute = property.attribute, let argument = attribute.argument(for: .counter) {
        findings.report(
          .counterIsKey(property.plainName), at: argument.expression,
          fixIts: [FixIt("remove '.counter'", .remove(argument, from: attribute.attribute))])
      }
      guard property.isColumn, let type = property.type, type.wrapped != nil else { continue }
      var fixIts: [FixIt] = []
      if let mark = property.declaration.bindings.last?.typeAnnotation?.type.as(OptionalTypeSyntax.self)?.questionMark,
        property.initialValue == nil
      {
        fixIts.append(FixIt("remove '?'", .replace(mark, with: "")))
      }
      findings.report(.optionalKey(property.plainName), at: property.identifier, fixIts: fixIts)
    }
  }

  private static func reportMissing(_ declaration: StructDeclaration, findings: inout Findings) {
    let name = declaration.syntax.name
    if let (id, _) = declaration.body.unstoredProperties.first(where: { $0.name.plainName == "id" }) {
      findings.report(.keyIsNotStored(declaration.name), at: id)
    } else {
      findings.report(.noKey(declaration.name), at: name, fixIts: [.insertKey(declaration)])
    }
  }

  /// The generated `id` of a key with another name must not conflict with an existing one.
  private static func reportConflicts(
    _ declaration: StructDeclaration, id: StoredProperty?, key: [StoredProperty], findings: inout Findings
  ) {
    let names = key.map(\.plainName)
    if let id {
      let others = names.filter { $0 != "id" }
      findings.report(
        names.contains("id") ? .idWithinCompositeKey(others: others) : .idBesideKey(names), at: id.identifier,
        fixIts: FixIt.renameID(id).map { [$0] } ?? [])
    } else if let (computed, variable) = declaration.body.unstoredProperties.first(where: { $0.name.plainName == "id" })
    {
      let fixIt = FixIt("remove 'id'", .remove(variable))
      findings.report(.idIsGenerated(from: names), at: computed, fixIts: variable.bindings.count == 1 ? [fixIt] : [])
    }
    if key.count > 1 {
      declaration.reportTakenNames(["ID"], among: declaration.body.types, by: .model, findings: &findings)
    }
  }
}

extension FixIt {
  /// Inserts a key as the first member.
  fileprivate static func insertKey(_ declaration: StructDeclaration) -> FixIt {
    let block = declaration.syntax.memberBlock
    let text = "\(declaration.access.prefix)var id: UUID = .v7()"
    let message = "add 'var id: UUID = .v7()'"
    guard let first = block.members.first else {
      return FixIt(
        message,
        .insert("\n  \(text)\(block.rightBrace.leadingTrivia.containsNewline ? "" : "\n")", after: block.leftBrace))
    }
    guard first.leadingTrivia.containsNewline else { return FixIt(message, .insert("\(text); ", before: first)) }
    return FixIt(message, .insert("\n\(first.leadingTrivia.indentation)\(text)", after: block.leftBrace))
  }

  /// Renames a property named `id`, and keeps its column. Nil if other properties are declared with it.
  fileprivate static func renameID(_ id: StoredProperty) -> FixIt? {
    guard id.declaration.bindings.count == 1 else { return nil }
    let rename = Change.replace(id.identifier, with: "identifier")
    let message = "rename it to 'identifier' and keep its column"
    guard let attribute = id.attribute else {
      return FixIt(message, .insert("@Attribute(name: \"id\") ", before: id.declaration), rename)
    }
    if attribute.name != nil { return FixIt("rename it to 'identifier'", rename) }
    guard case .argumentList(let arguments) = attribute.attribute.arguments, let last = arguments.last else {
      return nil
    }
    if let original = attribute.originalNameArgument {
      return FixIt(message, .insert("name: \"id\", ", before: original), rename)
    }
    return FixIt(message, .insert(", name: \"id\"", after: last), rename)
  }
}

extension Trivia {
  fileprivate var containsNewline: Bool { contains(where: \.isNewline) }

  /// The whitespace after the last line break.
  fileprivate var indentation: Trivia {
    Trivia(pieces: pieces.reversed().prefix { !$0.isNewline }.reversed().filter(\.isSpaceOrTab))
  }
}
