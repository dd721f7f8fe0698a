/// The changes that ``StoreWriter/updateAll(_:_:)`` makes in every row: `$0.title.set("x"); $0.views.increment(by: 1)`.
@dynamicMemberLookup
public struct Assignments<M: Model> {
  let list: AssignmentList

  init() { list = AssignmentList() }

  /// The assignment to a property.
  public subscript<Output>(dynamicMember path: KeyPath<M.Columns, Column<M, Output>>) -> Assignment<M, Output> {
    Assignment(column: M.columns[keyPath: path], list: list)
  }

  /// The assignment to a reference.
  public subscript<Target: Model, Output>(
    dynamicMember path: KeyPath<M.Columns, ToOneColumn<M, Target, Output>>
  ) -> ReferenceAssignment<M, Target, Output> {
    ReferenceAssignment(column: M.columns[keyPath: path], list: list)
  }

  /// The assignments to the properties of an embedded struct.
  public subscript<Columns: EmbeddedColumns>(dynamicMember path: KeyPath<M.Columns, Columns>) -> EmbeddedAssignments<M, Columns>
  where Columns.Root == M {
    EmbeddedAssignments(columns: M.columns[keyPath: path], list: list)
  }
}

/// The assignments to the properties of an embedded struct: `$0.font.size.set(14)`.
@dynamicMemberLookup
public struct EmbeddedAssignments<M: Model, Columns: EmbeddedColumns> {
  let columns: Columns
  let list: AssignmentList

  /// The assignment to a property of the embedded struct.
  public subscript<Output>(dynamicMember path: KeyPath<Columns, Column<M, Output>>) -> Assignment<M, Output> {
    Assignment(column: columns[keyPath: path], list: list)
  }

  /// The assignments to the properties of a struct that is embedded in the embedded one.
  public subscript<Inner: EmbeddedColumns>(dynamicMember path: KeyPath<Columns, Inner>) -> EmbeddedAssignments<M, Inner> where Inner.Root == M {
    EmbeddedAssignments<M, Inner>(columns: columns[keyPath: path], list: list)
  }
}

/// The assignment to one property.
public struct Assignment<M: Model, Output> {
  let column: Column<M, Output>
  let list: AssignmentList

  /// Sets a value.
  public func set(_ value: Output) {
    list.append(column.name, column.node(for: value))
  }

  /// Sets what the database computes in each row: `$0.total.set { $0.price * $0.quantity }`. The columns are those that the row has before the update.
  public func set(_ value: (M.Columns) -> some QueryExpressible<Output>) {
    let node = value(M.columns).node
    switch (column.type.order, node.order) {
    case (.instant, .stored): list.append(column.name, .function("larder_date_text", [node]))
    case (.stored, .instant): list.append(column.name, .function("larder_seconds", [node]))
    default: list.append(column.name, node.asValue)
    }
  }
}

extension Assignment where Output: QueryNumber {
  /// Adds to the number that each row has; a negative number takes away.
  public func increment(by amount: Output) {
    list.append(column.name, .arithmetic(.add, list.value(of: column.name) ?? column.node, column.node(for: amount), order: column.type.order))
  }

  /// Multiplies the number that each row has.
  public func multiply(by factor: Output) {
    list.append(column.name, .arithmetic(.multiply, list.value(of: column.name) ?? column.node, column.node(for: factor), order: column.type.order))
  }
}

/// What the closure of ``StoreWriter/updateAll(_:_:)`` asked for, in order; it never leaves that call.
final class AssignmentList {
  private(set) var assignments: [(column: String, node: SQLNode)] = []

  /// What the column was set to so far.
  func value(of column: String) -> SQLNode? {
    assignments.first { $0.column == column }?.node
  }

  func append(_ column: String, _ node: SQLNode) {
    assignments.removeAll { $0.column == column }
    assignments.append((column, node))
  }
}

extension Query {
  /// `UPDATE` of the query's rows.
  func update(_ writer: inout SQLWriter, _ list: AssignmentList) throws {
    writer.write("UPDATE \(writer.target(of: M.schema)) SET ")
    for (position, assignment) in list.assignments.enumerated() {
      if position > 0 { writer.write(", ") }
      writer.write("\(writer.dialect.quote(assignment.column)) = ")
      try writer.write(assignment.node, asStoredIn: assignment.column, of: M.schema)
    }
    try writeRows(&writer)
  }

  /// `DELETE` of the query's rows.
  func delete(_ writer: inout SQLWriter) throws {
    writer.write("DELETE FROM \(writer.target(of: M.schema))")
    try writeRows(&writer)
  }

  /// The `WHERE` of a statement that changes rows: the condition itself, or the keys where a limit or a rank has a say.
  private func writeRows(_ writer: inout SQLWriter) throws {
    if let failure { throw failure }
    let isPlain = limit == nil && offset == 0 && cursor == nil && !isRanked
    if isPlain {
      var conditions: [(inout SQLWriter) throws -> Void] = []
      if let search { conditions.append { try search.writeCondition(&$0, M.schema) } }
      if let filter { conditions.append { try $0.write(filter) } }
      if M.schema.expires, writer.pendingText == nil { conditions.append { $0.write(Expiry.isThere(M.schema.statements.table)) } }
      for (position, condition) in conditions.enumerated() {
        writer.write(position == 0 ? " WHERE " : " AND ")
        try condition(&writer)
      }
      return
    }
    let keys = M.schema.keyColumns.map { writer.dialect.quote($0.name) }
    writer.write(" WHERE (\(keys.joined(separator: ", "))) IN (")
    try select(&writer, keys.map { "\(M.schema.statements.table).\($0)" }.joined(separator: ", "))
    writer.write(")")
  }
}
