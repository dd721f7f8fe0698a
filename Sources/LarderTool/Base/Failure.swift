/// Why a verb can't do what it was asked for: a sentence or two for the person who typed it.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
