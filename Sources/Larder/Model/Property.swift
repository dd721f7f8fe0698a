/// One property of a model in its ``ModelSchema``: the column, its options and its default. `@Model` writes them.
public struct Property<Root: Model>: Sendable {
  let columns: [ColumnDefinition<Root>]
  var relationship: (any RelationshipDefinition<Root>)?

  /// A stored property.
  public init<Output>(
    _ column: Column<Root, Output>, _ options: AttributeOption..., originalName: String? = nil, default: PropertyDefault<Output>? = nil
  ) {
    var value: (@Sendable () throws -> Value)?
    if let `default` {
      value = { try column.coding.encode(`default`.make()) }
    } else if column.type.isOptional {
      value = { .null }
    }
    columns = [
      ColumnDefinition(
        column: column, options: Set(options.map(\.kind)), originalName: originalName, defaultValue: value,
        isDefaultComputed: `default`?.isComputed ?? false)
    ]
  }

  /// An embedded struct. A default of the whole struct gives the defaults of its columns.
  public init<Columns: EmbeddedColumns>(embedded columns: Columns, default: PropertyDefault<Columns.Base>? = nil)
  where Columns.Root == Root {
    let definitions = Columns.Base.properties(columns.embedding).flatMap(\.columns)
    guard let `default` else {
      self.columns = definitions
      return
    }
    self.columns = definitions.map { definition in
      guard let value = definition.column.embeddedValue else { return definition }
      return ColumnDefinition(
        column: definition.column, options: definition.options, originalName: definition.originalName,
        defaultValue: { try value(`default`.make()) ?? .null }, isDefaultComputed: `default`.isComputed)
    }
  }
}

/// The value that a new property has in rows that are already there.
public struct PropertyDefault<Output>: Sendable {
  let make: @Sendable () -> Output
  let isComputed: Bool

  /// One value for all rows.
  public static func constant(_ value: @escaping @autoclosure @Sendable () -> Output) -> PropertyDefault {
    PropertyDefault(make: value, isComputed: false)
  }

  /// A value that is recomputed for each row, such as `UUID.v7()`.
  public static func computed(_ value: @escaping @Sendable () -> Output) -> PropertyDefault {
    PropertyDefault(make: value, isComputed: true)
  }
}

/// A column with all that the schema says of it.
struct ColumnDefinition<Root: Model>: Sendable {
  let column: any AnyColumn<Root>
  let options: Set<AttributeOption.Kind>
  let originalName: String?
  let defaultValue: (@Sendable () throws -> Value)?
  let isDefaultComputed: Bool
  /// What triggers keep the column in step with; such a column is read and never written.
  var derivation: DerivationSource?

  var name: String { column.name }
  var property: String { column.property }
  var type: ColumnType { column.type }
}
