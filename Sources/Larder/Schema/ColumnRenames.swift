/// The renames that give the columns of a table the model's names.
///
/// A name may be taken by a column without a property, or by one that is renamed itself. A column without a property is
/// renamed and keeps its values; names that are swapped go through a third one.
struct ColumnRenames {
  /// The renames, ordered so that no name is taken twice.
  private(set) var steps: [SchemaStep] = []

  private let table: TableDefinition
  private var names: [String]

  /// - Parameter isDone: Whether the columns were already renamed after the entry was written, so that the existing
  ///   names are the model's.
  init(of table: TableDefinition, in state: TableState, _ entry: Catalogue.Entry?, isDone: Bool = false) {
    self.table = table
    names = state.columns.map(\.name)
    var wanted: [Move] = []
    for column in table.columns {
      guard let original = column.originalName,
        let source = Self.source(of: column, original, table, state, entry)
      else { continue }
      guard !isDone || state.column(column.name) == nil, !Self.isDone(column, original, table, state, entry),
        !wanted.contains(where: { $0.from == source.name })
      else { continue }
      wanted.append(Move(from: source.name, to: column.name))
    }
    let columns = displacing(wanted, in: state)
    let positions = columns.compactMap { Self.positionMove(with: $0, table, state, entry) }
    perform(columns + displacing(positions, in: state))
  }

  private struct Move {
    var from: String
    let to: String
    var isAside = false
  }

  /// Returns the column that had the name, also if it has got another one since then that the model no longer has; nil if
  /// there is none.
  private static func source(
    of column: TableDefinition.Column, _ original: String, _ table: TableDefinition, _ state: TableState,
    _ entry: Catalogue.Entry?
  ) -> TableState.Column? {
    let isOther = !original.isSameColumn(as: column.name)
    if isOther, let source = state.column(original) { return source }
    guard state.column(column.name) == nil else { return nil }
    return state.columns.first { renamed in
      table.column(renamed.name) == nil && entry?.original(of: renamed.name)?.isSameColumn(as: original) == true
    }
  }

  /// Returns whether the column already has its current name, so that the column with its former name is another one.
  private static func isDone(
    _ column: TableDefinition.Column, _ original: String, _ table: TableDefinition, _ state: TableState,
    _ entry: Catalogue.Entry?
  ) -> Bool {
    // For a file that Larder didn't create, only the existing names are known.
    guard let entry else { return state.column(column.name) != nil || table.column(original) != nil }
    guard state.column(column.name) != nil else { return false }
    if entry.original(of: column.name)?.isSameColumn(as: original) == true { return true }
    // Files of the first version don't record former names; there, an existing column of the model is the one that the
    // model means.
    return entry.originals == nil && entry.column(column.name) != nil
  }

  /// Returns the moves after those that set aside the columns whose names they take.
  private func displacing(_ moves: [Move], in state: TableState) -> [Move] {
    let displaced = moves.compactMap { move in state.column(move.to)?.name }.filter { name in
      !moves.contains { $0.from == name }
    }
    return displaced.map { Move(from: $0, to: freeName("\($0)_retired"), isAside: true) } + moves
  }

  /// Returns the move of the column with the order of rows that refer to the same row by the column that moves; nil if
  /// there is none.
  private static func positionMove(
    with move: Move, _ table: TableDefinition, _ state: TableState, _ entry: Catalogue.Entry?
  ) -> Move? {
    let isOrdered =
      move.isAside ? entry?.referencedTable(of: move.from) != nil : table.reference(of: move.to)?.isOrdered == true
    guard isOrdered, let position = state.column(ReservedNames.position(of: move.from)),
      table.column(position.name) == nil
    else { return nil }
    return Move(from: position.name, to: ReservedNames.position(of: move.to), isAside: move.isAside)
  }

  private mutating func perform(_ moves: [Move]) {
    var rest = moves
    while !rest.isEmpty {
      if let position = rest.firstIndex(where: { move in !rest.contains { $0.from.isSameColumn(as: move.to) } }) {
        let move = rest.remove(at: position)
        rename(move.from, move.to, isAside: move.isAside)
      } else {
        // Each of the remaining names waits for another one of them.
        let name = freeName("\(ReservedNames.prefix)moved")
        rename(rest[0].from, name, isAside: false)
        rest[0].from = name
      }
    }
  }

  private mutating func rename(_ from: String, _ to: String, isAside: Bool) {
    names.removeAll { $0 == from }
    names.append(to)
    steps.append(isAside ? .setAside(table, from: from, to: to) : .renameColumn(table, from: from, to: to))
  }

  /// Returns a name that neither the file nor the model uses.
  private func freeName(_ name: String) -> String {
    let wanted = table.columns.flatMap { [$0.name, $0.originalName ?? $0.name] } + table.positions
    let taken = Set((names + wanted).map(\.asciiLowercased))
    var candidate = name
    var number = 1
    while taken.contains(candidate.asciiLowercased) {
      number += 1
      candidate = "\(name)_\(number)"
    }
    return candidate
  }
}
