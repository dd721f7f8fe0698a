/// A word in the singular, as the name of a struct for the rows of a table.
///
/// The rules cover the plurals that tables have. A word that they miss stays readable, and the table's name is written
/// beside it.
struct SingularWord {
  let text: String

  init(_ word: String) {
    let lowercased = word.lowercased()
    // The case of the letters that stay is kept.
    let rule = Self.rules.first { lowercased.hasSuffix($0.ending) && lowercased.count > $0.dropped }
    text = rule.map { "\(word.dropLast($0.dropped))\($0.added)" } ?? word
  }

  /// How many letters an ending loses, and what takes their place. The first rule that fits counts.
  private static let rules: [(ending: String, dropped: Int, added: String)] = [
    ("series", 0, ""), ("species", 0, ""), ("news", 0, ""), ("movies", 1, ""), ("cookies", 1, ""), ("ies", 3, "y"),
    ("caches", 1, ""), ("aliases", 2, ""), ("statuses", 2, ""), ("buses", 2, ""), ("bonuses", 2, ""),
    ("viruses", 2, ""),
    ("sses", 2, ""), ("shes", 2, ""), ("ches", 2, ""), ("xes", 2, ""), ("ss", 0, ""), ("us", 0, ""), ("is", 0, ""),
    ("s", 1, ""),
  ]
}
