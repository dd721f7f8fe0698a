import Larder

extension SourcePlan {
  /// A column of an embedded struct, and the names of the properties that lead to it.
  private struct Part {
    let property: TableDescription.Property
    let names: [Substring]
  }

  /// Declares the structs that a model embeds. A column that doesn't have the name that an embedded struct gives it
  /// becomes a property of the model itself.
  ///
  /// - Parameters:
  ///   - properties: The properties of the model.
  ///   - position: The position of the table.
  /// - Returns: The embedded columns. The first one of each struct has the property that holds the struct.
  mutating func declareEmbedded(
    _ properties: [TableDescription.Property], of position: Int
  ) -> [String: SourceProperty?] {
    guard tables[position].description.kind == .model else { return [:] }
    let plain = Set(properties.map(\.name))
    var groups: [(name: Substring, parts: [Part])] = []
    for property in properties
    where !tables[position].isKey(property) && property.target == nil && !property.isDerived {
      let names = property.name.split(separator: ".", omittingEmptySubsequences: false)
      guard (2...8).contains(names.count), names[0] != "id", names.allSatisfy({ $0.isPartOfPath }),
        !plain.contains(String(names[0])),
        property.column.hasPrefix(names.dropLast().map { "\($0)_" }.joined()),
        property.column.utf8.count >= names.dropLast().reduce(1, { $0 + $1.utf8.count + 1 })
      else { continue }
      let part = Part(property: property, names: names)
      if let index = groups.firstIndex(where: { $0.name == names[0] }) {
        groups[index].parts.append(part)
      } else {
        groups.append((names[0], [part]))
      }
    }
    var declared: [String: SourceProperty?] = [:]
    for (name, parts) in groups {
      let name = tables[position].scope.take(String(name))
      let type = embed(parts, depth: 1, in: position, path: ".\(SwiftName.quoted(name))", name: name)
      for part in parts { declared[part.property.column] = .some(nil) }
      declared[parts[0].property.column] = SourceProperty(name: name, type: type, attributes: ["@Embedded"])
    }
    return declared
  }

  /// Declares the struct of the parts, and those within it, and returns its name.
  private mutating func embed(_ parts: [Part], depth: Int, in position: Int, path: String, name: String) -> String {
    let owner = depth == 1 ? tables[position].name : ""
    let type = types.take("\(owner)\(name.prefix(1).uppercased())\(name.dropFirst())")
    var model = SourceModel(attribute: "@Embeddable", name: type)
    var scope = NameScope(reserved: NameScope.members.subtracting(["id"]))
    let structs = Set(parts.filter { $0.names.count > depth + 1 }.map { $0.names[depth] })
    // The names of columns begin with those of the structs, which therefore can't have others.
    for name in structs { _ = scope.take(String(name)) }
    var seen: Set<Substring> = []
    for part in parts {
      let next = part.names[depth]
      if structs.contains(next), part.names.count > depth + 1 {
        guard seen.insert(next).inserted else { continue }
        let inner = parts.filter { $0.names.count > depth + 1 && $0.names[depth] == next }
        let name = String(next)
        let innerPath = "\(path).\(SwiftName.quoted(name))"
        let type = embed(inner, depth: depth + 1, in: position, path: innerPath, name: "\(type)\(name.capitalizedName)")
        model.properties.append(SourceProperty(name: name, type: type, attributes: ["@Embedded"]))
      } else {
        let name = scope.take(String(next))
        model.properties.append(field(part, name: name, depth: depth, in: position))
        tables[position].paths[part.property.column.folded] = "\(path).\(SwiftName.quoted(name))"
      }
    }
    embedded.append(model)
    return type
  }

  private mutating func field(_ part: Part, name: String, depth: Int, in position: Int) -> SourceProperty {
    let prefix = part.names.dropLast().reduce(0) { $0 + $1.count + 1 }
    let column = String(part.property.column.dropFirst(prefix))
    let type = storedType(of: part.property)
    let options = Self.options(of: part.property, in: tables[position].description, isReference: false)
    return SourceProperty(
      name: name, type: "\(type)\(part.property.isOptional ? "?" : "")",
      attributes: attribute(options, name: column == name ? nil : column))
  }
}

extension Substring {
  /// Whether the text can name a property on the way to an embedded column, whose prefix it also is.
  fileprivate var isPartOfPath: Bool {
    let name = String(self)
    return SwiftName.unchanged(name) != nil && !NameScope.members.subtracting(["id"]).contains(name)
  }
}

extension String {
  fileprivate var capitalizedName: String { prefix(1).uppercased() + dropFirst() }
}
