import LarderRandom

/// What the documents of the benchmark hold: texts, numbers, a list and a nested object.
struct DocumentPerson: Codable, Sendable, Equatable {
  struct Address: Codable, Sendable, Equatable {
    var street: String
    var city: String
  }

  var name: String
  var age: Int
  var score: Double
  var isMember: Bool
  var languages: [String]
  var address: Address

  /// The same people in every run.
  static func people(_ count: Int) -> [(key: String, value: DocumentPerson)] {
    var generator = SplitMix64(seed: 3)
    let languages = ["English", "Français", "日本語", "Swift", "C"]
    return (0..<count).map { number in
      let person = DocumentPerson(
        name: "Person \(number)", age: Int.random(in: 1...99, using: &generator),
        score: Double.random(in: 0...1, using: &generator),
        isMember: Bool.random(using: &generator), languages: Array(languages.shuffled(using: &generator).prefix(2)),
        address: Address(street: "\(number % 200) Main Street", city: "City \(number % 50)"))
      return ("person-\(number)", person)
    }
  }
}
