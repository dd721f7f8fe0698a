/// The SQL functions with which conditions read JSON.
///
/// They work on the bytes that SQLite stores, because JSON text may contain a NUL, at which SQLite's own functions
/// stop.
enum JSONFunctions {
  /// How `larder_json_contains` interprets the element to find.
  enum ElementForm: Int64 {
    /// An SQL value.
    case value
    /// The only element of a JSON array.
    case json
    /// Like `json`, with numbers compared as decimals, so that two of them aren't equal just because one double
    /// represents both.
    case exactJSON
  }
}
