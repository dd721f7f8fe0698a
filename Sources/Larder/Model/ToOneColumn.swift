/// A reference in a query: `$0.account`, and through it the properties of the other model, to any depth:
/// `$0.account.owner.name`.
///
/// ```swift
/// Cost.where { $0.account == account && $0.category.name == "Food" }
///   .sorted(by: \.account.name)
/// ```
///
/// Properties of an optional reference are optional. The other table is accessed by its key, row by row; or, if the
/// condition compares with a constant, through an index on the other property.
@dynamicMemberLookup
public struct ToOneColumn<Root: Model, Target: Model, Output>: Sendable {
  // Only `expression` is public: members of this type would hide the other model's properties.
  let property: String
  let name: String
  let keyPath: any PartialKeyPath<Root> & Sendable
  let isOptional: Bool
  let value: @Sendable (Root) -> Output
  let target: @Sendable (Output) -> ToOne<Target>?
  let output: @Sendable (ToOne<Target>?) -> Output?
  /// Sets the property, if it can be set.
  let assign: (@Sendable (inout Root, Output) -> Void)?
  var scope = ColumnScope.current

  private init(
    _ path: any KeyPath<Root, Output> & Sendable, _ property: String, _ name: String?, isOptional: Bool,
    target: @escaping @Sendable (Output) -> ToOne<Target>?, output: @escaping @Sendable (ToOne<Target>?) -> Output?
  ) {
    self.property = property
    self.name = name ?? property
    self.isOptional = isOptional
    self.target = target
    self.output = output
    keyPath = path
    value = { $0[keyPath: path] }
    assign = (path as? WritableKeyPath<Root, Output>).map { writable in
      // The same key path, but the cast can't express that it is still Sendable.
      let writable = unsafeBitCast(writable, to: (any WritableKeyPath<Root, Output> & Sendable).self)
      return { $0[keyPath: writable] = $1 }
    }
  }

  /// Creates a required reference. Called by generated code.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output == ToOne<Target> {
    self.init(path, property, column, isOptional: false, target: { $0 }, output: { $0 })
  }

  /// Creates an optional reference. Called by generated code.
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - property: The property's name in Swift.
  ///   - column: The column's name; nil if it is the property's.
  @_documentation(visibility: internal)
  public init(_ path: any KeyPath<Root, Output> & Sendable, _ property: String, column: String? = nil)
  where Output == ToOne<Target>? {
    self.init(path, property, column, isOptional: true, target: { $0 }, output: { .some($0) })
  }
}

// MARK: - The column

extension ToOneColumn: AnyColumn {
  // Computed on demand, because the other model's schema may be under construction.
  var type: ColumnType {
    var type = Target.schema.referenceType
    type.isOptional = isOptional
    return type
  }

  var embeddedValue: (@Sendable (Any) throws -> Value?)? { nil }

  func storedValue(in instance: Root) throws -> Value {
    try Self.stored(target(value(instance)))
  }

  func storedValue(of value: Any) throws -> Value {
    switch value {
    case let value as Output: try Self.stored(target(value))
    case let value as Target: try Self.stored(ToOne(value))
    case let value as Target.ID: try Self.stored(ToOne(value))
    default:
      throw ValueFailure(
        .unsupported, problem: "is compared with a \(Swift.type(of: value))",
        remedy: "compare it with a \(Target.self), its key or a reference to it"
      )
    }
  }

  func value(of stored: Value) throws -> Any {
    try decode(stored)
  }

  func canonical(_ stored: Value) throws -> Value {
    try Self.stored(target(try decode(stored)))
  }

  var cases: [String]? { nil }

  var isRawValue: Bool { false }

  var pathThroughReference: AnyKeyPath? {
    (keyPath as? KeyPath<Root, Output>).map { \ToOne<Root>.[dynamicMember: $0] }
  }

  static func stored(_ reference: ToOne<Target>?) throws -> Value {
    guard let reference else { return .null }
    return try Target.schema.storedKey(reference.id)
  }

  func decode(_ stored: Value) throws -> Output {
    let reference = stored.isNull ? nil : ToOne<Target>(try Target.schema.key(of: stored))
    guard let value = output(reference) else {
      throw ValueFailure.unexpected(stored, expected: "a key of \(Target.self)")
    }
    return value
  }
}

extension ToOneColumn {
  /// The reference in a query.
  var node: SQLNode {
    scope.node(for: ColumnReference(table: Root.schema.table, name: name, type: type))
  }
}

extension ModelSchema {
  /// The type of a reference's column: that of the key.
  var referenceType: ColumnType { keyColumns.first?.type ?? ColumnType(storageClass: .blob) }

  /// Returns the key as the database stores it.
  func storedKey(_ key: Root.ID) throws -> Value {
    guard let column = keyColumns.first?.column else { return .null }
    return try column.storedValue(of: key)
  }

  func key(of stored: Value) throws -> Root.ID {
    guard let key = try keyColumns.first?.column.value(of: stored) as? Root.ID else {
      throw ValueFailure.unexpected(stored, expected: "a key of \(modelName)")
    }
    return key
  }

  /// The key's only column.
  var keyReference: ColumnReference {
    ColumnReference(table: table, name: keyColumns.first?.name ?? "", type: referenceType)
  }
}

// MARK: - What is reached through the reference

extension ToOneColumn {
  var targetScope: ColumnScope { .related(node, key: Target.schema.keyReference) }

  /// A property of the referenced row.
  public subscript<Value>(dynamicMember path: KeyPath<Target.Columns, Column<Target, Value>>) -> Column<Target, Value>
  where Output == ToOne<Target> {
    Target.columns[keyPath: path].scoped(targetScope)
  }

  /// A property of the referenced row; nil if there is none.
  public subscript<Value>(dynamicMember path: KeyPath<Target.Columns, Column<Target, Value>>) -> Column<Target, Value?>
  where Output == ToOne<Target>? {
    Target.columns[keyPath: path].optional.scoped(targetScope)
  }

  /// An optional property of the referenced row; also nil if there is no row.
  public subscript<Value>(dynamicMember path: KeyPath<Target.Columns, Column<Target, Value?>>) -> Column<Target, Value?>
  where Output == ToOne<Target>? {
    Target.columns[keyPath: path].scoped(targetScope)
  }

  /// A reference of the referenced row.
  public subscript<Next: Model, NextOutput>(
    dynamicMember path: KeyPath<Target.Columns, ToOneColumn<Target, Next, NextOutput>>
  ) -> ToOneColumn<Target, Next, NextOutput> where Output == ToOne<Target> {
    Target.columns[keyPath: path].scoped(targetScope)
  }

  /// A reference of the referenced row; nil if there is none.
  public subscript<Next: Model, NextOutput>(
    dynamicMember path: KeyPath<Target.Columns, ToOneColumn<Target, Next, NextOutput>>
  ) -> ToOneColumn<Target, Next, ToOne<Next>?> where Output == ToOne<Target>? {
    Target.columns[keyPath: path].optional.scoped(targetScope)
  }

  /// The rows that belong to the referenced row.
  public subscript<Next: Model>(dynamicMember path: KeyPath<Target.Columns, ToManyColumn<Target, Next>>)
    -> ToManyColumn<Target, Next>
  {
    Target.columns[keyPath: path].scoped(targetScope)
  }

  /// The columns of an embedded struct of the referenced row.
  public subscript<Columns: EmbeddedColumns>(dynamicMember path: KeyPath<Target.Columns, Columns>) -> Columns
  where Columns.Root == Target {
    Columns(Target.columns[keyPath: path].embedding.scoped(targetScope))
  }

  func scoped(_ scope: ColumnScope) -> ToOneColumn {
    var column = self
    column.scope = scope
    return column
  }

  /// The reference as an optional, because the row that has it may not exist.
  private var optional: ToOneColumn<Root, Target, ToOne<Target>?> {
    ToOneColumn<Root, Target, ToOne<Target>?>(
      keyPath: keyPath, property: property, name: name, value: { [value, target] in target(value($0)) })
  }

  private init(
    keyPath: any PartialKeyPath<Root> & Sendable, property: String, name: String,
    value: @escaping @Sendable (Root) -> Output
  ) where Output == ToOne<Target>? {
    self.property = property
    self.name = name
    self.keyPath = keyPath
    self.value = value
    isOptional = true
    target = { $0 }
    output = { .some($0) }
    assign = nil
  }
}

extension Column {
  func scoped(_ scope: ColumnScope) -> Column {
    var column = self
    column.scope = scope
    return column
  }

  /// The column as an optional, because the row that has it may not exist.
  var optional: Column<Root, Output?> {
    var type = coding.type
    type.isOptional = true
    return Column<Root, Output?>(
      keyPath: keyPath, property: property, name: name, value: { [value] in value($0) },
      coding: ColumnCoding(
        type: type, encode: { [coding] in try $0.map(coding.encode) ?? .null },
        decode: { [coding] in $0.isNull ? nil : try coding.decode($0) }))
  }
}
