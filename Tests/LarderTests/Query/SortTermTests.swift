import Foundation
import Larder
import Testing

@Suite("Sorts that are chosen at run time")
struct SortTermTests {
  private let store: Store

  init() throws {
    store = try Store(inMemoryFor: Excursion.self, Stopover.self)
    try store.blocking.insert([
      Excursion(id: 1, name: "Alps", price: 9, seats: 3, startsAt: .now),
      Excursion(id: 2, name: "Fjords", price: 10, seats: 3, startsAt: .now),
      Excursion(id: 3, name: "Rivers", price: 100, seats: 1, startsAt: .now),
    ])
    try store.blocking.insert([
      Stopover(id: 1, tour: ToOne(2), city: "Oslo", days: 1), Stopover(id: 2, tour: ToOne(1), city: "Bern", days: 1),
      Stopover(id: 3, tour: nil, city: "Rome", days: 2),
    ])
  }

  @Test("by names, also through a reference, or by paths")
  func terms() async throws {
    let named = [try SortTerm<Excursion>(property: "seats"), try SortTerm(property: "price", order: .reverse)]
    #expect(try await store.fetch(Excursion.all.sorted(using: named)).map(\.id) == [3, 2, 1])
    #expect(named == [SortTerm(\.seats), SortTerm(\.price, order: .reverse)])
    let through = try SortTerm<Stopover>(property: "tour.name", order: .reverse)
    #expect(through == SortTerm(\.tour.name, order: .reverse) && through.property == "tour.name")
    #expect(try await store.fetch(Stopover.all.sorted(using: [through])).map(\.id) == [1, 2, 3])
    let embedded = SortTerm<MailItem>(\.size.width)
    #expect(try SortTerm(property: embedded.property) == embedded)
  }

  @Test("Codable, with an error for a property that there is not")
  func coding() throws {
    let terms = [SortTerm<Stopover>(\.tour.price, order: .reverse), SortTerm(\.city)]
    let data = try JSONEncoder().encode(terms)
    #expect(try JSONDecoder().decode([SortTerm<Stopover>].self, from: data) == terms)
    let error = #expect(throws: StoreError.self) { try SortTerm<Stopover>(property: "tour.title") }
    #expect(error?.code == .notFound && error?.message.contains("name, country, price") == true)
    #expect(throws: StoreError.self) { try SortTerm<Stopover>(property: "city.name") }
    #expect(throws: StoreError.self) { try SortTerm<Stopover>(property: "") }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SortTerm<Stopover>.self, from: Data(#"{"property":"x","order":"forward"}"#.utf8))
    }
  }

  @Test("pages continue after a row in the chosen order")
  func pages() async throws {
    let query = Excursion.all.sorted(using: [SortTerm(\.seats), SortTerm(\.price)]).limit(1)
    var found: [Int] = []
    var last: Excursion?
    while let row = try await store.first(last.map { query.after($0) } ?? query) {
      found.append(row.id)
      last = row
    }
    #expect(found == [3, 1, 2])
  }
}
