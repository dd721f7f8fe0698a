import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Suite("Documents: results that load pages", .timeLimit(.minutes(20)))
struct DocumentResultsTests {
  @Test("B8: the keys come at once and the documents when they are asked for, in any order, as they are then")
  func pages() async throws {
    let store = try Store(inMemoryFor: DocumentShelf.self)
    let notes = store.documents("notes", of: Companion.self)
    try await notes.save(keyed: (0..<1000).map { (key: "\($0)", value: Companion(name: "n\($0)", age: $0 % 500)) })
    let results = try await notes.results(sort: "age, name desc")
    #expect(results.count == 1000 && results.keys.first == "500")
    let expected = try await notes.fetch(sort: "age, name desc").map(\.value)
    #expect(results.map { $0 } == expected)
    #expect(results.reversed().compactMap { $0?.name } == expected.reversed().map(\.name))
    var generator = SplitMix64(seed: TestSeed.value)
    for _ in 0..<200 {
      let position = Int.random(in: results.indices, using: &generator)
      #expect(results[position] == expected[position], "seed \(TestSeed.value)")
    }
    #expect(try await results.elements(in: 95..<105) == Array(expected[95..<105]))
    try await notes.save(results.keys[3], Companion(name: "changed"))
    try await notes.delete(results.keys[4])
    #expect(results[3]?.name == "changed" && results[4] == nil && results.count == 1000)
    #expect(try await notes.results { $0.age == 7 }.map { $0?.name } == ["n7", "n507"])
    #expect(try await store.documents("nothing").results().isEmpty)
  }

  @Test("B8: a document that expires or cannot be decoded any more is nil, and the reason is thrown to who asks for it")
  func nothing() async throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: DocumentShelf.self, configuration: clock.configuration)
    store.sweeper.stop()
    let notes = store.documents("notes", of: Companion.self)
    try await notes.save("a", Companion(name: "A"), expires: clock.now + 10)
    try await notes.save("b", Companion(name: "B"))
    let results = try await notes.results(sort: "key")
    #expect(results.map { $0?.name } == ["A", "B"])
    clock.now += 10
    #expect(results.map { $0?.name } == [nil, "B"])
    #expect(try await results.elements(in: 0..<1) == [nil])
    try await store.documents("notes").save("b", ["name": 1])
    #expect(results[1] == nil)
    let error = await #expect(throws: StoreError.self) { try await results.elements(in: 0..<2) }
    #expect(error?.code == .invalidValue && error?.model == "notes")
    try await notes.deleteCollection()
    #expect(results.map { $0?.name } == [nil, nil])
  }
}
