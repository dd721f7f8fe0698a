/// What is measured at each size. Raw values are the keys of the report.
enum GrowthFigure: String, CaseIterable, Codable {
  case insert
  case find
  case newestPage = "newest-page"
  case deepPage = "deep-page"
  case indexedPage = "indexed-page"
  case save
  case saveChild = "save-child"
  case saveObserved = "save-observed"
  case search
  case insertLetter = "insert-letter"
  case insertDocument = "insert-document"
  case findDocument = "find-document"
  case deleteCascade = "delete-cascade"
  case contextPage = "context-page"
  case contextSave = "context-save"
  case count
  case backup
  case open
  case memory

  /// What one measurement does, in a few words.
  var work: String {
    switch self {
    case .insert: "an insert in a transaction of 10,000"
    case .find: "a look-up by key"
    case .newestPage: "the newest 50 rows"
    case .deepPage: "the 50 rows after one in the middle"
    case .indexedPage: "50 rows by a filter and a sort on one index"
    case .save: "a single save"
    case .saveChild: "a single save below a derived sum"
    case .saveObserved: "a save with 1,000 observers, for each observer"
    case .search: "a search for a word of 20 rows"
    case .insertLetter: "an insert with full text"
    case .insertDocument: "an insert of a document"
    case .findDocument: "a document by its key"
    case .deleteCascade: "deleting a row with 100 others"
    case .contextPage: "50 rows in a context with 100 changes"
    case .contextSave: "saving a context with 100 changes"
    case .count: "count of all rows, for each million"
    case .backup: "a backup, for each million of rows"
    case .open: "opening"
    case .memory: "peak memory of all this"
    }
  }

  var unit: Unit {
    switch self {
    case .count, .backup, .open: .milliseconds
    case .memory: .megabytes
    default: .microseconds
    }
  }

  /// Whether the work visits every row. The figure is then that for each million of rows.
  var isOfAllRows: Bool { self == .count || self == .backup }

  /// What a figure counts. Raw values are the abbreviations.
  enum Unit: String {
    case microseconds = "µs"
    case milliseconds = "ms"
    case megabytes = "MB"
  }
}
