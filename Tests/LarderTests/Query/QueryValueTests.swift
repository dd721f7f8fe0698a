import Foundation
import Larder
import Testing

@Suite struct QueryValueTests {
  @Test("queries that ask the same are equal and hash alike; others are not")
  func equality() {
    func query(_ limit: Int) -> Query<Specimen> {
      Specimen.where { $0.name.contains("a") && $0.rank.isIn([1, nil]) }.sorted(by: \.price, order: .reverse).sorted(
        by: \.name.localized
      ).limit(
        limit, offset: 2)
    }
    #expect(query(3) == query(3))
    #expect(query(3).hashValue == query(3).hashValue)
    #expect(query(3) != query(4))
    #expect(Set([query(1), query(1), query(2)]).count == 2)
    #expect(Specimen.where { $0.amount > 1 } != Specimen.where { $0.amount > 2 })
    #expect(Specimen.where { $0.amount > 1 } != Specimen.where { $0.rank > 1 })
    #expect(Specimen.all.sorted(by: \.name) != Specimen.all.sorted(by: \.name, order: .reverse))
    #expect(Specimen.where(#Predicate<Specimen> { $0.amount > 1 }) == Specimen.where { $0.amount > 1 })
    #expect(NewsItem.search("a") != NewsItem.search("a").ranked())
    #expect(Specimen.all == Specimen.all)
  }

  @Test("a query with one regular expression equals itself alone")
  func regex() {
    let regex = /a+/
    let query = Specimen.where { $0.name.matches(regex) }
    #expect(query == query)
    #expect(query != Specimen.where { $0.name.matches(regex) })
  }

  @Test("changing a query leaves the one it came from as it was")
  func values() throws {
    let db = try SpecimenSample(count: 20).db
    let all = Specimen.all
    let few = all.where { $0.id > 15 }.limit(2)
    #expect(try db.count(all) == 20)
    #expect(try db.count(few) == 2)
    #expect(try db.count(few.limit(100)) == 5)
  }

  @Test("a query goes from task to task")
  func sendable() async throws {
    let store = try Store(inMemoryFor: LabelledItem.self)
    try await store.insert([LabelledItem(id: 1, label: "a"), LabelledItem(id: 2, label: "b")])
    let query = LabelledItem.where { $0.label == "b" }
    let found = try await withThrowingTaskGroup(of: [LabelledItem].self) { group in
      for _ in 0..<4 { group.addTask { try await store.fetch(query) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(found.map(\.id) == [2, 2, 2, 2])
  }

  #if compiler(>=6.2)
  @Test("a negative limit or offset is a programmer's mistake")
  func traps() async {
    await #expect(processExitsWith: .failure) { _ = Specimen.all.limit(-1) }
    await #expect(processExitsWith: .failure) { _ = Specimen.all.limit(1, offset: -1) }
    await #expect(processExitsWith: .failure) { _ = Specimen.all.grouped(by: \.shade) { $0.count }.limit(-1) }
  }
  #endif
}
