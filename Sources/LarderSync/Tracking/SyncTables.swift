import Larder

/// The tables in which sync keeps what it knows of rows.
///
/// ```
/// _larder_sync_clock       one row: the hybrid clock, this replica, up to where visibility is computed
///                          (below zero: up to where it is computed with new models; zero: nothing is yet)
/// _larder_sync_replicas    every replica that was heard of; metadata names them by number
/// _larder_sync_tables      the tables that take part, as their models describe them, and those that only others know
/// _larder_sync_properties  their properties by the names they had first, and the columns that they are today
/// _larder_sync_rows        one row for each row that there ever was: how often it was inserted and deleted
/// _larder_sync_cells       the properties that were changed later, those that nobody has written (time zero), and the
///                          values that no table shows
/// _larder_sync_counters    what each replica has added to counters
/// _larder_sync_knowledge   from when on which replica knew which writes
/// _larder_sync_conflicts   values that lost against others that were written at the same time
/// _larder_sync_ahead       changes that were received although earlier ones of their replica are missing
/// _larder_sync_told        up to where other replicas have said to have the changes of this file
/// _larder_sync_attachments attachments whose bytes have not come, and those whose bytes came after their rows
/// _larder_sync_waiting     changes whose time is too far ahead
/// _larder_sync_forgotten   digests and keys of the rows whose deletions were forgotten, so that they are recognized
/// _larder_sync_unjudged    rows with values that a program's types lack, or about which a program without their model knows
///                          too little: a program with other types may decide otherwise
/// _larder_sync_replaced    rows that a statement is about to replace; between statements without meaning
/// _larder_sync_deleting    rows that a statement is about to delete; between statements without meaning
/// ```
enum SyncTables {
  static let prefix = "_larder_sync_"
  static let clock = prefix + "clock"
  static let replicas = prefix + "replicas"
  static let tables = prefix + "tables"
  static let properties = prefix + "properties"
  static let rows = prefix + "rows"
  static let cells = prefix + "cells"
  static let counters = prefix + "counters"
  static let knowledge = prefix + "knowledge"
  static let conflicts = prefix + "conflicts"
  static let ahead = prefix + "ahead"
  static let told = prefix + "told"
  static let attachments = prefix + "attachments"
  static let waiting = prefix + "waiting"
  static let forgotten = prefix + "forgotten"
  static let unjudged = prefix + "unjudged"
  static let replaced = prefix + "replaced"
  static let deleting = prefix + "deleting"
  /// The collections of documents that stay on this device, while sync is off. Only there if there are some.
  static let staying = prefix + "staying"

  /// All that are there while sync is on; those that refer to others come first.
  static let all = [
    deleting, replaced, unjudged, forgotten, told, ahead, attachments, waiting, conflicts, knowledge, counters, cells,
    rows, properties, tables, replicas, clock,
  ]

  /// The fewest columns for keys: the pairs of many-to-many relationships have two.
  static let fewestKeys = 2

  static let create = [
    """
    CREATE TABLE main.\(clock) (id INTEGER PRIMARY KEY CHECK (id = 1), now INTEGER NOT NULL, replica INTEGER NOT NULL, \
    settled INTEGER NOT NULL, is_applying INTEGER NOT NULL DEFAULT 0, file TEXT, identified INTEGER NOT NULL DEFAULT 0, \
    retention INTEGER NOT NULL DEFAULT \(ReplicaFile.standardRetention), forgotten INTEGER NOT NULL DEFAULT 0, \
    forgotten_at INTEGER NOT NULL DEFAULT 0, renewed_at INTEGER NOT NULL DEFAULT 0) STRICT
    """,
    """
    CREATE TABLE main.\(replicas) (id INTEGER PRIMARY KEY, replica BLOB NOT NULL UNIQUE, \
    received INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL DEFAULT '', name_time INTEGER NOT NULL DEFAULT 0, \
    name_position INTEGER NOT NULL DEFAULT 0, starts_afresh INTEGER NOT NULL DEFAULT 0, \
    begun_after INTEGER NOT NULL DEFAULT 0, sent_after INTEGER NOT NULL DEFAULT 0, \
    is_unrecorded INTEGER NOT NULL DEFAULT 0) STRICT
    """,
    """
    CREATE TABLE main.\(tables) (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, key_count INTEGER NOT NULL, \
    description BLOB, is_local INTEGER NOT NULL DEFAULT 0, left_at INTEGER) STRICT
    """,
    """
    CREATE TABLE main.\(properties) (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, name TEXT NOT NULL, \
    column_name TEXT, is_looked_up INTEGER NOT NULL DEFAULT 0, is_counter INTEGER NOT NULL DEFAULT 0, \
    absent_until INTEGER NOT NULL DEFAULT 0, UNIQUE (table_id, name)) STRICT
    """,
    """
    CREATE TABLE main.\(ahead) (replica INTEGER NOT NULL, since INTEGER NOT NULL, up_to INTEGER NOT NULL, \
    is_last INTEGER NOT NULL, PRIMARY KEY (replica, since, up_to)) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE main.\(told) (replica INTEGER PRIMARY KEY, since INTEGER NOT NULL, position INTEGER NOT NULL) STRICT",
    """
    CREATE TABLE main.\(rows) (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, key1 ANY NOT NULL, \
    key2 ANY NOT NULL DEFAULT 0, length INTEGER NOT NULL, time INTEGER NOT NULL, replica INTEGER NOT NULL, \
    deletion_time INTEGER, deletion_replica INTEGER, position INTEGER NOT NULL, source INTEGER, \
    status INTEGER NOT NULL DEFAULT 0) STRICT
    """,
    "CREATE INDEX main.\(rows)_position ON \(rows) (position)",
    "CREATE INDEX main.\(rows)_resurrected ON \(rows) (table_id) WHERE \(isResurrected)",
    """
    CREATE TABLE main.\(cells) (row INTEGER NOT NULL, property INTEGER NOT NULL, length INTEGER NOT NULL, \
    time INTEGER NOT NULL, replica INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0, value ANY, \
    PRIMARY KEY (row, property)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX main.\(cells)_value ON \(cells) (property, value) WHERE held >= \(Holding.lookedUp.rawValue)",
    "CREATE INDEX main.\(cells)_hidden ON \(cells) (row) WHERE held >= \(Holding.hidden.rawValue)",
    // The amount is high × 2³² + low; of replica 0, what the counter showed when its table left. What is confirmed was
    // certainly added in this file: see ReplicaFile+Identity.
    """
    CREATE TABLE main.\(counters) (row INTEGER NOT NULL, property INTEGER NOT NULL, replica INTEGER NOT NULL, \
    length INTEGER NOT NULL, time INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, \
    confirmed_length INTEGER, confirmed_time INTEGER, confirmed_high INTEGER, confirmed_low INTEGER, \
    PRIMARY KEY (row, property, replica)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX main.\(counters)_time ON \(counters) (replica, time)",
    """
    CREATE TABLE main.\(knowledge) (replica INTEGER NOT NULL, origin INTEGER NOT NULL, since INTEGER NOT NULL, \
    up_to INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (replica, origin, since)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX main.\(knowledge)_position ON \(knowledge) (position)",
    """
    CREATE TABLE main.\(conflicts) (row INTEGER NOT NULL, property INTEGER NOT NULL, time INTEGER NOT NULL, \
    replica INTEGER NOT NULL, value ANY, is_dismissed INTEGER NOT NULL DEFAULT 0, \
    PRIMARY KEY (row, property, time, replica)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE main.\(attachments) (digest TEXT NOT NULL, size INTEGER NOT NULL, sender INTEGER, \
    position INTEGER, PRIMARY KEY (digest, size)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX main.\(attachments)_position ON \(attachments) (position)",
    """
    CREATE TABLE main.\(waiting) (time INTEGER NOT NULL, state BLOB NOT NULL, PRIMARY KEY (time, state)) \
    STRICT, WITHOUT ROWID
    """,
    createForgotten,
  ]

  /// Files of the first versions lack this table, and later ones some of the columns after the time.
  static let createForgotten = """
    CREATE TABLE IF NOT EXISTS main.\(forgotten) (digest BLOB PRIMARY KEY, time INTEGER NOT NULL, \
    replica INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0, table_id INTEGER NOT NULL DEFAULT 0, \
    row_key TEXT) STRICT, WITHOUT ROWID
    """

  /// Files of the first versions lack these.
  static let createLaterIndexes = [
    "CREATE INDEX IF NOT EXISTS main.\(forgotten)_key ON \(forgotten) (table_id, row_key, length)",
    "CREATE INDEX IF NOT EXISTS main.\(conflicts)_time ON \(conflicts) (replica, time)",
  ]

  /// What triggers write down before a statement writes a row, for those that act afterwards, and what programs do for others.
  static let createNotes = [
    """
    CREATE TABLE IF NOT EXISTS main.\(unjudged) (table_id INTEGER NOT NULL, row INTEGER NOT NULL, \
    PRIMARY KEY (table_id, row)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS main.\(replaced) (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, \
    writer TEXT NOT NULL, row INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX IF NOT EXISTS main.\(replaced)_writer ON \(replaced) (table_id, writer)",
    "CREATE TABLE IF NOT EXISTS main.\(deleting) (row INTEGER PRIMARY KEY) STRICT",
  ]

  /// The version of the tables, indexes and triggers. Files of an earlier one get what they lack when they are opened.
  static let version: Int64 = 12

  /// The names of the columns of keys.
  static func keys(_ count: Int) -> [String] { (1...count).map { "key\($0)" } }

  /// Returns the SQL of a key as one text. Those of different keys may be equal.
  static func keyText(_ values: [String]) -> String {
    values.map { "quote(\($0))" }.joined(separator: " || ',' || ")
  }

  /// Returns the SQL of the causal length with which a row begins: greater than that of its deletion, if that was forgotten.
  ///
  /// - Parameters:
  ///   - table: The number of the table.
  ///   - key: The SQL of the values of the key.
  static func firstLength(_ table: Int64, _ key: [String]) -> String {
    """
    CASE WHEN EXISTS (SELECT 1 FROM \(forgotten)) THEN coalesce((SELECT max(length) + 1 FROM \(forgotten) \
    WHERE table_id = \(table) AND row_key = \(keyText(key))), 1) ELSE 1 END
    """
  }

  /// Returns the SQL of the indexes on keys: the unique one, and those that find set-aside rows, all of them or by a part of
  /// their key.
  static func createKeyIndexes(_ count: Int) -> [String] {
    let unique =
      "CREATE UNIQUE INDEX main.\(rows)_key ON \(rows) (table_id, \(keys(count).joined(separator: ", ")))"
    return [unique] + createPartialKeyIndexes(count)
  }

  static func createPartialKeyIndexes(_ count: Int) -> [String] {
    keys(count).dropFirst().map { key in
      "CREATE INDEX main.\(rows)_\(key) ON \(rows) (table_id, \(key)) WHERE \(isSetAside)"
    }
  }

  /// The condition of rows that are there, and that a rule of the models keeps from being visible. Partial indexes serve
  /// queries that have it word for word.
  ///
  /// It has comparisons instead of a list: for a list of more than two values SQLite builds a table each time, and every
  /// insertion asks whether the partial indexes get the row.
  static let isSetAside = "status > 1 AND status <> 5 AND status <> 6"
  /// The condition of those that someone may miss: nobody knew of all their writes and deleted what they need.
  static let isMissed = "\(isSetAside) AND status < 5"
  /// The condition of deleted rows that aren't visible.
  static let isDeleted = "(status = 1 OR status = 7 AND length % 2 = 0)"
  /// The condition of deleted rows that are visible, because a row that is there refers to them by `.deny`.
  static let isResurrected = "status = 0 AND length % 2 = 0"

  /// The statement with which each write advances the clock: past the last write, and at least to the time on the wall.
  ///
  /// It is plain SQL, so that the `sqlite3` command line keeps the clock, too. The time is in milliseconds since 1970,
  /// times 65,536.
  static let tick = """
    UPDATE \(clock) SET now = max(now + 1, CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER) << 16)
    """

  static func exist(_ connection: ModuleConnection) throws -> Bool {
    try connection.finds("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.init(clock)])
  }
}

/// Where a row is.
enum RowStatus: Int64 {
  /// In its table.
  case visible = 0
  /// Deleted; its values are held.
  case deleted = 1
  /// Set aside: a row that it refers to, and must refer to, isn't there.
  case lacksReference = 2
  /// Set aside: an earlier row has a unique value of it.
  case duplicate = 3
  /// Set aside: a row that it must refer to is the duplicate of another.
  case refersToDuplicate = 4
  /// Held for other replicas: no model of this program has the table.
  case unknown = 5
  /// Expired and swept here.
  case expired = 6
  /// Gone with a row that it must refer to, which was deleted by someone who knew all of its writes. Or deleted, while all
  /// rows that refer to it by `.deny` are set aside: it may return with them.
  case cascaded = 7

  var isSetAside: Bool { [.lacksReference, .duplicate, .refersToDuplicate, .cascaded].contains(self) }
  /// Whether the row has every row that it must refer to, whether or not another one has its unique values.
  var isConsistent: Bool { [.visible, .duplicate, .refersToDuplicate].contains(self) }
}

/// Where a value is.
enum Holding: Int64 {
  /// In the table.
  case none = 0
  /// In the cell: the row isn't visible, or its table has no column for it, or has it in another form.
  case held = 1
  /// In the cell of a row that isn't visible. Other rows look for the value, because it refers to a row or is unique.
  case lookedUp = 2
  /// In the cell of a visible row, whose table shows nil: what the value refers to isn't visible.
  case hidden = 3
  /// Nowhere: the cell marks a counter whose sum is out of its range.
  case excess = 4
}
