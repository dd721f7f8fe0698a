import Testing

@testable import Creatures

@Suite("What a person writes of a creature")
struct ContentTests {
  @Test("White space around a name goes")
  func trimmed() throws {
    #expect(try CreatureContent(title: " \n Moth ", rating: 0).title == "Moth")
  }

  @Test(
    "A name has to be there, short, and one line",
    arguments: [
      "", "  \n\t ", String(repeating: "x", count: 101), "two\nlines", "bell\u{7}",
      "e" + String(repeating: "\u{301}", count: 2000),
    ])
  func names(title: String) {
    #expect { try CreatureContent(title: title, rating: 1) } throws: { error in
      guard case .invalid(let fields)? = error as? CreatureProblem else { return false }
      return Array(fields.keys) == [.title]
    }
  }

  @Test("Stars are one to five, or none", arguments: [-1, 6, .max, .min])
  func ratings(rating: Int) {
    #expect { try CreatureContent(title: "", rating: rating) } throws: { error in
      guard case .invalid(let fields)? = error as? CreatureProblem else { return false }
      return Set(fields.keys) == [.title, .rating]
    }
    #expect(throws: Never.self) { for rating in 0...5 { _ = try CreatureContent(title: "x", rating: rating) } }
  }
}
