import Foundation
import Larder
import Testing

@Suite struct SortDescriptorTests {
  let sample: SpecimenSample

  init() throws { sample = try SpecimenSample(texts: Specimen.Pool.plainTexts) }

  /// The store sorts as Foundation does; the key decides among equals.
  private func check(
    _ descriptors: SortDescriptor<Specimen>..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let query = descriptors.reduce(Specimen.all) { $0.sorted(using: $1) }
    let expected = sample.rows.sorted(
      using: descriptors + [SortDescriptor(\.id, order: descriptors.last?.order ?? .forward)])
    #expect(
      try sample.db.fetch(query).map(\.id) == expected.map(\.id), "seed \(sample.seed)", sourceLocation: sourceLocation)
  }

  @Test("numbers, dates and Booleans sort as Foundation sorts them")
  func values() throws {
    try check(SortDescriptor(\.amount))
    try check(SortDescriptor(\.amount, order: .reverse))
    try check(SortDescriptor(\.rank), SortDescriptor(\.bornAt, order: .reverse))
    try check(SortDescriptor(\.measure.width), SortDescriptor(\.weight, order: .reverse))
    try check(SortDescriptor(\.seenAt))
    try check(SortDescriptor(\.price))
  }

  @Test("text sorts by the comparator of the descriptor")
  func text() throws {
    try check(SortDescriptor(\.name, comparator: .lexical))
    try check(SortDescriptor(\.name, comparator: .lexical, order: .reverse), SortDescriptor(\.amount))
    #if canImport(Darwin)
    // Foundation has the comparator on Apple's platforms alone.
    try check(SortDescriptor(\.name, comparator: .localizedStandard))
    #endif
  }

  @Test("several descriptors at once are one order")
  func several() throws {
    let query = Specimen.all.sorted(using: SortDescriptor(\.amount), SortDescriptor(\.id, order: .reverse))
    let expected = sample.rows.sorted { ($0.amount, -$0.id) < ($1.amount, -$1.id) }
    #expect(try sample.db.fetch(query).map(\.id) == expected.map(\.id))
  }

  @Test("a key path that is not stored is refused by name of the model")
  func computed() throws {
    let error = try #require(throws: StoreError.self) {
      try sample.db.fetch(Specimen.all.sorted(using: SortDescriptor(\.doubled)))
    }
    #expect(error.code == .unsupported)
    #expect(error.model == "Specimen")
  }
}

extension Specimen {
  fileprivate var doubled: Int { amount * 2 }
}
