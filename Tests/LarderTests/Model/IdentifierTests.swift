import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite struct IdentifierTests {
  private func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  @Test("UUID.v7 has version 7 and the variant of RFC 9562, and begins with the time") func layout() {
    let before = UInt64(Date().timeIntervalSince1970 * 1000)
    let identifier = bytes(UUID.v7())
    #expect(identifier[6] >> 4 == 7)
    #expect(identifier[8] >> 6 == 0b10)
    let milliseconds = identifier[..<6].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // Many identifiers made at once run ahead of the clock, 4,096 for each millisecond.
    #expect(milliseconds >= before && milliseconds < before + 60_000)
  }

  @Test("each UUID.v7 sorts after the one before, also within a millisecond") func ordered() {
    let identifiers = (0..<20_000).map { _ in UUID.v7() }
    #expect(zip(identifiers, identifiers.dropFirst()).allSatisfy { bytes($0).lexicographicallyPrecedes(bytes($1)) })
  }

  @Test("identifiers that many tasks make are all different, and in order within each task") func concurrent() async {
    let made = await withTaskGroup(of: [UUID].self) { group in
      for _ in 0..<32 { group.addTask { (0..<1_000).map { _ in UUID.v7() } } }
      return await group.reduce(into: [[UUID]]()) { $0.append($1) }
    }
    #expect(Set(made.joined()).count == 32_000)
    for identifiers in made {
      #expect(zip(identifiers, identifiers.dropFirst()).allSatisfy { bytes($0).lexicographicallyPrecedes(bytes($1)) })
    }
  }

  @Test("rows with UUID.v7 keys come back in the order in which they were made") func storedOrder() throws {
    let store = try Store(inMemoryFor: Ticket.self)
    let tickets = (0..<500).map { Ticket(number: $0) }
    try store.blocking.insert(tickets.shuffled())
    #expect(try store.blocking.fetch(Ticket.all.sorted(by: \.id)).map(\.number) == Array(0..<500))
  }

  @Test("a UUID is a blob of 16 bytes, and text in its place is read") func storage() throws {
    let store = try Store(inMemoryFor: Scalars.UUIDRow.self)
    let uuid = UUID()
    try store.blocking.insert(Scalars.UUIDRow(id: 1, value: uuid, maybe: nil))
    #expect(try store.blocking.rows(Scalars.UUIDRow.all).first?["value"] == .blob(Data(bytes(uuid))))
    #expect(try UUID(storedValue: .text(uuid.uuidString.lowercased())) == uuid)
  }

  @Model struct Ticket: Hashable {
    var id: UUID = .v7()
    var number: Int
  }
}
