import Foundation
import Testing

@testable import Larder

@Suite("Documents: the list of indexes", .timeLimit(.minutes(20)))
struct DocumentIndexTests {
  private struct OwnError: Error {}

  @Test(
    "B5: inside a transaction the list has what the transaction has indexed so far, and outside what is committed",
    arguments: [true, false])
  func transaction(isInMemory: Bool) async throws {
    let file = try StoreFile()
    let store = try isInMemory ? Store(inMemoryFor: Parcel.self) : file.open(Parcel.self)
    let people = store.documents("people")
    try await people.save("a", ["name": "Ada", "city": "Graz", "age": 36])
    try await people.index(on: "name")
    try await store.write { db in
      let inside = db.documents("people")
      #expect(try inside.indexes == [["name"]])
      try inside.index(on: "city", "age")
      #expect(try inside.indexes == [["name"], ["city", "age"]])
      try inside.index(on: "city", "age")
      #expect(try inside.indexes.count == 2)
      try inside.removeIndex(on: "name")
      #expect(try inside.indexes == [["city", "age"]])
      do {
        try db.savepoint { inner in
          try inner.documents("people").index(on: "age")
          #expect(try inner.documents("people").indexes == [["city", "age"], ["age"]])
          throw OwnError()
        }
      } catch is OwnError {}
      #expect(try inside.indexes == [["city", "age"]])
      if !isInMemory {
        let other = try file.open()
        #expect(try other.blocking.documents("people").indexes == [["name"]])
      }
    }
    #expect(try await people.indexes == [["city", "age"]])
  }

  @Test("B5: a transaction that throws leaves the list as it was, also of a collection that it began")
  func failure() async throws {
    let file = try StoreFile()
    let store = try file.open()
    try await store.documents("people").index(on: "name")
    await #expect(throws: OwnError.self) {
      try await store.write { db in
        try db.documents("people").index(on: "city")
        try db.documents("people").removeIndex(on: "name")
        try db.documents("places").index(on: "country")
        #expect(try db.documents("people").indexes == [["city"]])
        #expect(try db.documents("places").indexes == [["country"]])
        throw OwnError()
      }
    }
    #expect(try await store.documents("people").indexes == [["name"]])
    #expect(try await store.documents("places").indexes == [])
    #expect(try await store.read { try $0.documents("people").indexes } == [["name"]])
  }
}
