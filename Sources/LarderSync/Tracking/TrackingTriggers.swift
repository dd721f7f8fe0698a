import Larder

/// The triggers that record the writes to a table, in plain SQL: the `sqlite3` command line is tracked, too.
///
/// A write of the user ticks the clock and gives the row the new position. An effect of a delete rule does neither: the
/// row that the rule follows is gone when the trigger fires, which tells them apart. The values that such an effect
/// takes away are held, because the other replicas decide by the same rules. Deletions are recorded after they have
/// happened, because a trigger of the program may keep the row. That they were wanted is written down before: afterwards a
/// row that refers to itself, or in a circle, would look like an effect.
struct TrackingTriggers {
  let table: TrackedTable
  /// The number of columns for keys in the file, of which the table uses the first ones.
  let keyCount: Int

  /// The beginning of the names of all of these triggers.
  static let prefix = SyncTables.prefix + "track_"

  /// The trigger on the metadata itself that acts when a row is inserted again.
  ///
  /// An insertion over a set-aside row is an edit of all its properties. Any other starts the row anew, and takes over
  /// properties of the former one that this program's model lacks: it can't have meant to change them. They keep their
  /// stamps.
  ///
  /// Whoever saves a row over one that is set aside can't see what that had, so all of its values are listed as lost. Their time is
  /// later than that of the write, over which nothing would be listed otherwise. Those that the write repeats are left out
  /// when the row is read: this trigger doesn't know the new values, and one that does would cost every insertion.
  static let again = """
    CREATE TRIGGER main.\(prefix)again AFTER UPDATE OF time ON \(SyncTables.rows) WHEN \(isTracking)
      AND new.length % 2 = 1 AND (new.length > old.length OR \(wasSetAside)) BEGIN
      INSERT OR IGNORE INTO \(SyncTables.conflicts) (row, property, time, replica, value)
        SELECT new.id, cell.property, clock.now + 1, clock.replica, cell.value FROM \(SyncTables.cells) AS cell
        JOIN \(SyncTables.properties) AS property ON property.id = cell.property CROSS JOIN \(SyncTables.clock) AS clock
        WHERE cell.row = new.id AND cell.held BETWEEN 1 AND 3 AND cell.time > 0 AND \(wasMissed) AND \(isListed);
      DELETE FROM \(SyncTables.cells) WHERE row = new.id AND NOT (\(wasSetAside)) AND NOT (\(livesOn));
      UPDATE \(SyncTables.cells) SET length = new.length WHERE row = new.id AND NOT (\(wasSetAside));
      UPDATE \(SyncTables.counters) SET length = new.length,
        confirmed_length = CASE confirmed_length WHEN length THEN new.length ELSE confirmed_length END
        WHERE row = new.id AND replica <> 0 AND NOT (\(wasSetAside)) AND \(livesOn);
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT new.id, property.id, new.length, clock.now, clock.replica
        FROM \(SyncTables.properties) AS property CROSS JOIN \(SyncTables.clock) AS clock
        WHERE property.table_id = new.table_id AND property.column_name IS NOT NULL AND property.is_counter = 0
        AND \(wasSetAside)
        ON CONFLICT (row, property) DO UPDATE SET length = excluded.length, time = excluded.time,
        replica = excluded.replica, held = 0, value = NULL;
      UPDATE \(SyncTables.clock) SET now = now + 1 WHERE \(wasSetAside)
        AND EXISTS (SELECT 1 FROM \(SyncTables.conflicts) AS lost WHERE lost.row = new.id AND lost.time > now);
      UPDATE \(SyncTables.rows) SET position = \(now) WHERE id = new.id AND \(wasSetAside) AND position < \(now);
    END
    """

  /// The condition that a property is one of the former row, and that this program's model lacks it. A document has no
  /// model, and what it is saved without is gone. Replica 0 stands for what counters showed while their table was away.
  private static let livesOn = """
    length = old.length - 1 + old.length % 2
    AND property IN (SELECT id FROM \(SyncTables.properties) WHERE table_id = new.table_id AND column_name IS NULL)
    AND EXISTS (SELECT 1 FROM \(SyncTables.tables) WHERE id = new.table_id AND \(CollectionName.isModelTable))
    """

  /// The condition that a property of a model has a value that users have written: not the date of expiry, nor the position
  /// in an ordered relationship.
  private static let isListed = """
    property.column_name <> '\(ModuleTable.expiryColumn)' AND property.is_counter = 0
    AND property.column_name NOT IN (SELECT '\(ModuleTable.positionColumn(of: "' || column_name || '"))'
    FROM \(SyncTables.properties) WHERE table_id = new.table_id AND column_name IS NOT NULL AND is_looked_up = 1)
    AND EXISTS (SELECT 1 FROM \(SyncTables.tables) WHERE id = new.table_id AND \(CollectionName.isModelTable))
    """

  private static let wasSetAside =
    "\(SyncTables.isSetAside.replacing("status", with: "old.status")) AND old.length % 2 = 1"
  private static let wasMissed =
    "\(SyncTables.isMissed.replacing("status", with: "old.status")) AND old.length % 2 = 1"
  private static let isTracking = "(SELECT is_applying FROM \(SyncTables.clock)) = 0"
  /// The time of the write, and the number of this replica.
  static let (now, replica) = ("(SELECT now FROM \(SyncTables.clock))", "(SELECT replica FROM \(SyncTables.clock))")

  /// The statements that create the triggers.
  var creation: [String] {
    var triggers = [insertion] + intending + [deletion] + [setAside].compactMap { $0 }
    if !table.properties.isEmpty { triggers.append(update) }
    return triggers + [marking].compactMap { $0 } + keyChange + replacing
      + table.properties.compactMap { property in
        property.reference.flatMap { $0.rule == .nullify ? nullification(of: property, $0) : nil }
      }
  }

  /// The names of the triggers.
  var names: Set<String> {
    Set(
      creation.compactMap {
        $0.split(separator: " ", maxSplits: 3).dropFirst(2).first.map { String($0.dropFirst("main.".count)) }
      })
  }

  func trigger(
    _ kind: String, _ event: String, at time: String = "AFTER", when condition: String? = nil, _ statements: [String]
  ) -> String {
    """
    CREATE TRIGGER main.\(Self.prefix)\(table.id)_\(kind) \(time) \(event) ON \(table.quotedName) \
    WHEN \(Self.isTracking)\(condition.map { " AND \($0)" } ?? "") BEGIN
      \(statements.map { $0 + ";" }.joined(separator: "\n  "))
    END
    """
  }

  // MARK: Insertion

  private var insertion: String { trigger("insert", "INSERT", insertionStatements) }

  private var insertionStatements: [String] {
    let keys = table.description.keys
    let names = SyncTables.keys(keys.count).joined(separator: ", ")
    let values = keys.map { "new.\($0.name.quotedName)" }
    let isEdit = "\(SyncTables.isSetAside) AND length % 2 = 1"
    let upsert = """
      INSERT INTO \(SyncTables.rows) (table_id, \(names), length, time, replica, position)
        SELECT \(table.id), \(values.joined(separator: ", ")), \(SyncTables.firstLength(table.id, values)), now, replica, now
        FROM \(SyncTables.clock) WHERE true
        ON CONFLICT (table_id, \(conflictKeys)) DO UPDATE SET
        length = CASE WHEN \(isEdit) THEN length ELSE max(length + 1 + length % 2, excluded.length) END,
        time = CASE WHEN \(isEdit) THEN time ELSE excluded.time END,
        replica = CASE WHEN \(isEdit) THEN replica ELSE excluded.replica END,
        deletion_time = NULL, deletion_replica = NULL, position = excluded.position, source = NULL, status = 0
      """
    return [SyncTables.tick, upsert]
      + table.counters.map { counter in
        let value = "new.\(counter.column.name.quotedName)"
        // A row that was set aside keeps what others have added, so that it shows the value that it was saved with.
        let (high, low) = (sum("high", of: counter), sum("low", of: counter))
        return addition(
          to: counter, high: "(\(value) >> 32) - \(high)", low: "(\(value) & \(lowMask)) - \(low)",
          when: "(\(value) >> 32, \(value) & \(lowMask)) <> (\(high) + (\(low) >> 32), \(low) & \(lowMask))")
      }
  }

  // MARK: Counters

  private let lowMask = "4294967295"

  /// What replicas have added to a counter of a row since its last insertion; `row` are its metadata.
  private func sum(_ part: String, of counter: TrackedTable.Property) -> String {
    """
    (SELECT coalesce(sum(\(part)), 0) FROM \(SyncTables.counters) AS added WHERE added.row = row.id \
    AND added.property = \(counter.id) AND added.replica <> 0 AND added.length = row.length - 1 + row.length % 2)
    """
  }

  /// Adds to what this replica has added to a counter. In two parts, because the difference of two integers of SQLite
  /// need not be one.
  private func addition(to counter: TrackedTable.Property, high: String, low: String, when condition: String) -> String
  {
    """
    INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
      SELECT row.id, \(counter.id), clock.replica, row.length - 1 + row.length % 2, clock.now, \(high), \(low)
      FROM \(SyncTables.rows) AS row CROSS JOIN \(SyncTables.clock) AS clock
      WHERE \(isRow("new", alias: "row.")) AND \(condition)
      ON CONFLICT (row, property, replica) DO UPDATE SET
      high = excluded.high + CASE WHEN length = excluded.length THEN high ELSE 0 END,
      low = excluded.low + CASE WHEN length = excluded.length THEN low ELSE 0 END,
      length = excluded.length, time = excluded.time
    """
  }

  private var conflictKeys: String { SyncTables.keys(keyCount).joined(separator: ", ") }

  // MARK: Deletion

  /// The condition that the row is deleted because it has expired by the clock of the store.
  private var isExpired: String? {
    table.description.expiryColumn.map { column in
      "coalesce(old.\(column.quotedName) * 1000.0 <= \(ModuleConnection.expiring), 0)"
    }
  }

  /// The condition that a delete rule has deleted the row: the row that it had to refer to is gone.
  private var isCascade: String? {
    let effects = table.description.references.filter { $0.rule == .cascade }.map { reference in
      "old.\(reference.column.quotedName) IS NOT NULL AND \(isGone("old", reference))"
    }
    return effects.isEmpty ? nil : effects.joined(separator: " OR ")
  }

  private func isGone(_ row: String, _ reference: ModuleTable.Reference) -> String {
    "NOT EXISTS (SELECT 1 FROM \(reference.table.quotedName) WHERE \(reference.key.quotedName) = \(row).\(reference.column.quotedName))"
  }

  /// The condition that a row was deleted because it has expired, or by a delete rule.
  private var isEffect: String? {
    let conditions = [isExpired, isCascade.map { "(\($0)) AND NOT \(isIntended)" }].compactMap { $0 }
    return conditions.isEmpty ? nil : conditions.map { "(\($0))" }.joined(separator: " OR ")
  }

  /// The number of the metadata of the row that is deleted.
  private var deletedRow: String { "(SELECT id FROM \(SyncTables.rows) WHERE \(isRow("old")))" }

  private var isIntended: String { "EXISTS (SELECT 1 FROM \(SyncTables.deleting) WHERE row = \(deletedRow))" }

  /// The condition that the table doesn't have the row: a trigger of the program may have inserted it again.
  private var isAway: String {
    let keys = table.description.keys.map { key in
      let (row, old) = ("again.\(key.name.quotedName)", "old.\(key.name.quotedName)")
      return "\(row) = \(old) AND \(row) = \(old) COLLATE BINARY"
    }
    return "NOT EXISTS (SELECT 1 FROM \(table.quotedName) AS again WHERE \(keys.joined(separator: " AND ")))"
  }

  /// The triggers that write down that the user deletes a row, as long as the rows are there to which it refers. If a
  /// trigger of the program keeps the row, the note stays until the row is deleted, by the user or as an effect.
  private var intending: [String] {
    guard let isCascade else { return [] }
    let isEffect = [isExpired, isCascade].compactMap { $0 }.map { "(\($0))" }.joined(separator: " OR ")
    return [
      trigger(
        "delete_before", "DELETE", at: "BEFORE", when: "NOT (\(isEffect))",
        [
          """
          INSERT INTO \(SyncTables.deleting) (row) SELECT id FROM \(SyncTables.rows) WHERE \(isRow("old"))
            ON CONFLICT DO NOTHING
          """
        ]),
      trigger(
        "set_aside_before", "DELETE", at: "BEFORE",
        when: "EXISTS (SELECT 1 FROM \(SyncTables.deleting)) AND (\(isCascade))",
        ["DELETE FROM \(SyncTables.deleting) WHERE row = \(deletedRow)"]),
    ]
  }

  private var deletion: String {
    let isWanted = isEffect.map { "NOT (\($0)) AND " } ?? ""
    let done = isCascade == nil ? [] : ["DELETE FROM \(SyncTables.deleting) WHERE row = \(deletedRow)"]
    return trigger("delete", "DELETE", when: "\(isWanted)\(isAway)", deletionStatements + done)
  }

  private var deletionStatements: [String] {
    [SyncTables.tick, hold]
      + [
        """
        UPDATE \(SyncTables.rows) SET length = length + length % 2, status = 1, source = NULL,
          deletion_time = \(Self.now), deletion_replica = \(Self.replica), position = \(Self.now) WHERE \(isRow("old"))
        """
      ]
  }

  /// A row that a delete rule has deleted is kept aside; one that has expired leaves without a trace.
  ///
  /// The status tells it from a row that refers to itself and was recorded as deleted by the other trigger.
  private var setAside: String? {
    guard let isEffect else { return nil }
    let status = isExpired.map { "CASE WHEN \($0) THEN 6 ELSE 7 END" } ?? "7"
    let release = isExpired.map { expired in
      [
        "DELETE FROM \(SyncTables.cells) WHERE row = \(deletedRow) AND \(expired)",
        "DELETE FROM \(SyncTables.counters) WHERE row = \(deletedRow) AND \(expired)",
      ]
    }
    return trigger(
      "set_aside", "DELETE",
      when: "(\(isEffect)) AND \(isAway) AND (SELECT status FROM \(SyncTables.rows) WHERE \(isRow("old"))) = 0",
      [
        hold, "UPDATE \(SyncTables.rows) SET status = \(status) WHERE \(isRow("old"))",
      ] + (release ?? []))
  }

  /// Holds the values of the row that leaves the table. Those held already are what hidden references refer to.
  private var hold: String {
    guard !table.registers.isEmpty else { return "SELECT 1" }
    let values = table.registers.map { property in
      """
      SELECT \(property.id) AS id, old.\(property.column.name.quotedName) AS value, \(property.isLookedUp ? 2 : 1) AS held, \
      \(property.absentUntil) AS absent_until
      """
    }
    return """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
        SELECT row.id, given.id, row.length - 1 + row.length % 2,
        CASE WHEN row.time > given.absent_until THEN row.time ELSE 0 END, row.replica, given.held, given.value
        FROM \(SyncTables.rows) AS row CROSS JOIN (\(values.joined(separator: " UNION ALL "))) AS given
        WHERE \(isRow("old", alias: "row."))
        ON CONFLICT (row, property) DO UPDATE SET held = excluded.held,
        value = CASE held WHEN 0 THEN excluded.value ELSE value END
      """
  }

  // MARK: Update

  private var update: String {
    let columns = table.properties.map(\.column.name.quotedName)
    return trigger(
      "update", "UPDATE OF \(columns.joined(separator: ", "))",
      // A row with another key is stamped as a whole.
      when: "(\(table.properties.map(isChange).joined(separator: " OR "))) AND NOT (\(hasOtherKey))",
      [SyncTables.tick] + (table.isCollection ? documentStamping : stamping)
        + table.counters.map { counter in
          let (old, new) = ("old.\(counter.column.name.quotedName)", "new.\(counter.column.name.quotedName)")
          return addition(
            to: counter, high: "(\(new) >> 32) - (\(old) >> 32)", low: "(\(new) & \(lowMask)) - (\(old) & \(lowMask))",
            when: "\(new) <> \(old)")
        } + [
          "UPDATE \(SyncTables.rows) SET source = NULL, position = \(Self.now) WHERE \(isRow("new"))"
        ])
  }

  /// Gives the properties that have changed their own stamps.
  private var stamping: [String] {
    if table.registers.isEmpty { return [] }
    let changes = table.registers.map { "SELECT \($0.id) AS id WHERE \(isChange(of: $0))" }
    return [
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT row.id, given.id, row.length - 1 + row.length % 2, \(Self.now), \(Self.replica)
        FROM (\(changes.joined(separator: " UNION ALL "))) AS given CROSS JOIN \(SyncTables.rows) AS row
        WHERE \(isRow("new", alias: "row."))
        ON CONFLICT (row, property) DO UPDATE SET length = excluded.length, time = excluded.time,
        replica = excluded.replica, held = 0, value = NULL
      """
    ]
  }

  private func isDifferent(_ column: String) -> String {
    let column = column.quotedName
    return "old.\(column) IS NOT new.\(column) COLLATE BINARY"
  }

  /// The condition that the user has changed the property.
  private func isChange(of property: TrackedTable.Property) -> String {
    let different = isDifferent(property.column.name)
    if property.column.name == table.description.expiryColumn {
      return "(\(different) AND NOT (\(isMarked(property.column.name))))"
    }
    guard let reference = property.reference, reference.rule == .nullify else { return "(\(different))" }
    return "(\(different) AND NOT (\(isNullified(reference))))"
  }

  /// The condition that a delete rule has cleared the reference.
  private func isNullified(_ reference: ModuleTable.Reference) -> String {
    let column = reference.column.quotedName
    return "new.\(column) IS NULL AND old.\(column) IS NOT NULL AND \(isGone("old", reference))"
  }

  /// The reference stays in the state when the rule clears it, so that it refers again if the row comes back.
  private func nullification(of property: TrackedTable.Property, _ reference: ModuleTable.Reference) -> String {
    let column = reference.column.quotedName
    return trigger(
      "nullify_\(property.id)", "UPDATE OF \(column)", when: isNullified(reference),
      [
        """
        INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
          SELECT id, \(property.id), length - 1 + length % 2, \(property.insertionTime), replica, 3, old.\(column)
          FROM \(SyncTables.rows) WHERE \(isRow("new"))
          ON CONFLICT (row, property) DO UPDATE SET held = 3, value = excluded.value
        """
      ])
  }

  /// A row with another key is another row, whose counters begin with what they show.
  private var keyChange: [String] {
    let keys = table.description.keys.map(\.name)
    return [
      trigger(
        "key", "UPDATE OF \(keys.map(\.quotedName).joined(separator: ", "))", when: "(\(hasOtherKey))",
        deletionStatements + insertionStatements)
    ]
  }

  private var hasOtherKey: String {
    table.description.keys.map { isDifferent($0.name) }.joined(separator: " OR ")
  }

  // MARK: The row

  /// The condition that metadata are those of the row.
  func isRow(_ row: String, alias: String = "") -> String {
    let keys = table.description.keys
    let names = SyncTables.keys(keyCount)
    // The sign takes away the column's affinity, with which SQLite would not use the index.
    let values = keys.map { "+\(row).\($0.name.quotedName)" } + Array(repeating: "0", count: keyCount - keys.count)
    let parts = zip(names, values).map { "\(alias)\($0) = \($1)" }
    return "\(alias)table_id = \(table.id) AND " + parts.joined(separator: " AND ")
  }
}
