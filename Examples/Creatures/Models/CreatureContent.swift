import Foundation

/// What a person writes of a creature; the rest is the app's work.
struct CreatureContent: Equatable, Sendable {
  static let longestTitle = 100
  static let ratings = 0...5

  let title: String
  let rating: Int

  /// Throws `CreatureProblem.invalid`, with a message for each field that breaks a rule.
  init(title: String, rating: Int) throws {
    self.title = title.trimmingCharacters(in: .whitespacesAndNewlines)
    self.rating = rating
    var problems: [CreatureProblem.Field: String] = [:]
    if self.title.isEmpty {
      problems[.title] = "A creature needs a name: write one."
    } else if self.title.count > Self.longestTitle || self.title.utf8.count > 16 * Self.longestTitle {
      problems[.title] = "A name has at most \(Self.longestTitle) characters: shorten this one."
    } else if self.title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      problems[.title] = "A name is one line of text: take the line breaks and control characters out."
    }
    if !Self.ratings.contains(rating) { problems[.rating] = "Give one to five stars, or none." }
    guard problems.isEmpty else { throw CreatureProblem.invalid(problems) }
  }
}
