import Larder
import LarderSync

extension SourcePlan {
  /// Declares the properties of a struct, without those that stand for rows of other tables.
  ///
  /// - Parameter position: The position of the table.
  /// - Returns: The references to other tables.
  mutating func declareProperties(of position: Int) -> [Reference] {
    let (properties, notes) = tables[position].declarable()
    tables[position].model.notes += notes
    let embedded = declareEmbedded(properties, of: position)
    var names: [String: String] = [:]
    var references: [Reference] = []
    var refusals: [String: String] = [:]
    for property in properties where embedded[property.column] == nil {
      switch reference(of: property, in: position) {
      case .reference(let reference):
        references.append(reference)
        continue
      case .refused(let reason): refusals[property.column] = reason
      case .none: break
      }
      names[property.column] = name(property, in: position)
    }
    // The names of references are shortened, so the others come first.
    for index in references.indices {
      guard let property = properties.first(where: { $0.column == references[index].column }) else { continue }
      references[index].name = name(property, in: position, isReference: true)
      names[property.column] = references[index].name
    }
    for property in properties {
      if let first = embedded[property.column] {
        if let first { tables[position].model.properties.append(first) }
        continue
      }
      guard let name = names[property.column] else { continue }
      if property.isDerived {
        tables[position].derived.append((property, name, tables[position].model.properties.count))
        continue
      }
      tables[position].paths[property.column.folded] = ".\(SwiftName.quoted(name))"
      let reference = references.first { $0.column == property.column }
      var declared = declaration(of: property, name: name, in: position, reference)
      if let refusal = refusals[property.column] { declared.note = refusal }
      tables[position].model.properties.append(declared)
    }
    return references
  }

  private mutating func name(
    _ property: TableDescription.Property, in position: Int, isReference: Bool = false
  ) -> String {
    let table = tables[position]
    let recorded = table.description.kind == .model ? SwiftName.unchanged(property.name) : nil
    let name = recorded ?? SwiftName.property(property.name) ?? "column"
    if name == "id" {
      // The key alone may be called so: the macro makes an `id` of any other.
      return table.key.count == 1 && table.isKey(property) ? name : tables[position].scope.take("identifier")
    }
    let short = isReference && recorded == nil ? name.withoutID : name
    return tables[position].scope.take(short, name)
  }

  private mutating func declaration(
    of property: TableDescription.Property, name: String, in position: Int, _ reference: Reference?
  ) -> SourceProperty {
    let table = tables[position]
    let isOptional = property.isOptional && !table.isKey(property)
    let type = reference.map { "ToOne<\(tables[$0.target].name)>" } ?? storedType(of: property)
    var declared = SourceProperty(name: name, type: "\(type)\(isOptional ? "?" : "")", column: property.column)
    var options = Self.options(of: property, in: table.description, isReference: reference != nil)
    if table.isKey(property) {
      if table.key.count == 1 { options.removeAll { $0 == ".unique" || $0 == ".indexed" } }
      if table.key.count > 1 || name != "id" { options.insert(".primaryKey", at: 0) }
      if table.key.count == 1, type == "UUID", table.description.kind == .model { declared.value = ".v7()" }
    }
    let synced = synced(property, in: table.description)
    if synced?.isCounter == true { options.append(".counter") }
    declared.attributes = attribute(
      options, name: property.column == name ? nil : property.column,
      originalName: synced?.firstName == property.column ? nil : synced?.firstName)
    if let reference { setDeleteRule(of: reference, isOptional: isOptional, &declared) }
    return declared
  }

  /// Returns the options of `@Attribute`, without that of the key.
  static func options(
    of property: TableDescription.Property, in table: TableDescription, isReference: Bool
  ) -> [String] {
    let isIndexed = table.indexes.contains { !$0.isUnique && $0.columns == [property.column] }
    var options: [String] = []
    if property.isUnique { options.append(".unique") }
    // A reference is indexed anyway.
    if isIndexed, !property.isUnique, !isReference { options.append(".indexed") }
    if property.isSearchable, property.type == .text, property.cases == nil { options.append(".searchable") }
    if property.isISO8601, plainType(of: property) == "Date" { options.append(".iso8601") }
    return options
  }

  func attribute(_ options: [String], name: String?, originalName: String? = nil) -> [String] {
    let names = [("name", name), ("originalName", originalName)]
    let arguments = options + names.compactMap { label, name in name.map { "\(label): \($0.swiftLiteral)" } }
    return arguments.isEmpty ? [] : ["@Attribute(\(arguments.joined(separator: ", ")))"]
  }

  /// Returns the type of a property's values, which isn't optional.
  mutating func storedType(of property: TableDescription.Property) -> String {
    if let type = SourceEnum(property) {
      if let known = enums.first(where: { $0.type == type }) { return known.name }
      let recorded = SwiftName.unchanged(type.recordedName, isType: true)
      let name = types.take(recorded ?? SwiftName.type(property.name) ?? "Kind")
      enums.append((type, name))
      return name
    }
    let type = Self.plainType(of: property)
    if type == "AnyValue" { needsAnyValue = true }
    if type == "Date", property.declaredType != nil { hasDeclaredDates = true }
    return type
  }

  /// Returns the type of a property's values, of those that the library has.
  static func plainType(of property: TableDescription.Property) -> String {
    if let recorded = RecordedType(property.swiftType, storing: property.type) { return recorded.text }
    return switch property.type {
    case .bool: "Bool"
    case .integer: "Int"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal"
    case .text: "String"
    case .date: "Date"
    case .uuid: "UUID"
    case .data: "Data"
    case .json: "DocumentValue"
    case .any: type(declared: property.declaredType ?? "")
    }
  }

  /// Returns the type for a column whose declared type says more to people than to SQLite: `DECIMAL(10,2)`.
  private static func type(declared: String) -> String {
    switch declared.prefix(while: \.isLetter).uppercased() {
    case "DATE", "DATETIME", "TIMESTAMP": "Date"
    case "CURRENCY", "DEC", "DECIMAL", "MONEY", "NUMBER", "NUMERIC": "Decimal"
    case "GUID", "UUID": "UUID"
    case "JSON": "DocumentValue"
    default: "AnyValue"
    }
  }
}

extension String {
  /// The name of what an identifier identifies: `customer` for `customerID`; the name itself if it is none.
  fileprivate var withoutID: String {
    guard let ending = ["UUID", "GUID", "ID", "Id"].first(where: hasSuffix), count > ending.count else { return self }
    return String(dropLast(ending.count))
  }
}
