import Foundation
import Larder
import LarderTestSupport
import Testing

/// Seeded random rows in a store, and the check that a condition finds those that plain Swift finds.
struct SpecimenSample {
  let db: BlockingStore
  let rows: [Specimen]
  let seed: UInt64

  init(seed: UInt64 = TestSeed.value, count: Int = 150, texts: [String] = Specimen.Pool.texts) throws {
    var generator = SplitMix64(seed: seed)
    rows = (1...count).map { Specimen(number: $0, texts: texts, using: &generator) }
    db = try Store(inMemoryFor: Specimen.self).blocking
    try db.insert(rows)
    self.seed = seed
  }

  /// The condition finds the rows that the closure is true for.
  ///
  /// - Parameter isTelling: Whether some rows must be found and others not, so that the check can fail.
  func check(
    _ condition: (Specimen.Columns) -> some QueryExpressible<Bool>, isTelling: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ matches: (Specimen) throws -> Bool
  ) throws {
    try check(Specimen.where(condition), isTelling: isTelling, sourceLocation: sourceLocation, matches)
  }

  func check(
    _ query: Query<Specimen>, isTelling: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ matches: (Specimen) throws -> Bool
  ) throws {
    let expected = try rows.filter(matches).map(\.id)
    let found = try ids(query)
    #expect(found == expected, "seed \(seed)", sourceLocation: sourceLocation)
    #expect(
      !isTelling || (!expected.isEmpty && expected.count < rows.count), "seed \(seed): the check tells nothing",
      sourceLocation: sourceLocation)
  }

  /// The keys of the rows that the query finds, in the order of the keys.
  func ids(_ query: Query<Specimen>) throws -> [Int] {
    try db.rows(query.sorted(by: \.id)).map { try $0.get("id") }
  }
}

extension String {
  /// Whether the bytes are the same: the database knows no canonical equivalence.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  func holds(_ part: String) -> Bool {
    let (bytes, part) = (Array(utf8), Array(part.utf8))
    guard part.count <= bytes.count else { return false }
    return (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)].elementsEqual(part) }
  }

  func begins(with part: String) -> Bool { utf8.starts(with: part.utf8) }

  func ends(with part: String) -> Bool { utf8.reversed().starts(with: part.utf8.reversed()) }
}
