/// The existing name that is most similar to a misspelled one.
struct NearestName {
  /// The name with the smallest edit distance, if it is less than half of the characters; nil if there is none.
  let name: String?

  init(to wanted: String, among names: [String]) {
    let characters = Array(wanted.lowercased())
    var best: (name: String, distance: Int)?
    for name in names {
      let other = Array(name.lowercased())
      let limit = best?.distance ?? max(characters.count, other.count) / 2 + 1
      guard abs(other.count - characters.count) < limit else { continue }
      let distance = Self.distance(characters, other)
      if distance < limit { best = (name, distance) }
    }
    name = best?.name
  }

  /// Returns the Levenshtein distance, with one row of Wagner and Fischer's table at a time.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (position, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = position + 1
      for column in right.indices {
        let replaced = diagonal + (right[column] == character ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
