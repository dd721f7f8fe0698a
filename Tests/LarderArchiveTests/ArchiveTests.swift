import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

@Suite("Archives")
struct ArchiveTests {
  @Test("D1: a value comes back from an archive as it was")
  func roundTrip() throws {
    let creature = Creature.sample(7)
    let data = try Archive.encode(creature)
    #expect(try Archive.decode(Creature.self, from: data) == creature)
    #expect(try Archive.decode([Creature].self, from: Archive.encode([creature, creature])) == [creature, creature])
    // A slice whose indices do not begin with zero.
    let slice = (Data([1, 2, 3]) + data)[3...]
    #expect(try Archive.decode(Creature.self, from: slice) == creature)
  }

  @Test("D1: numbers, texts, nil and empty values are archived on their own")
  func singleValues() throws {
    #expect(try Archive.decode(Int.self, from: Archive.encode(Int.min)) == .min)
    #expect(try Archive.decode(UInt64.self, from: Archive.encode(UInt64.max)) == .max)
    #expect(try Archive.decode(String.self, from: Archive.encode("Zoë 🦑")) == "Zoë 🦑")
    #expect(try Archive.decode(Double.self, from: Archive.encode(-0.5)) == -0.5)
    #expect(try Archive.decode(Data.self, from: Archive.encode(Data())) == Data())
    #expect(try Archive.decode(Int?.self, from: Archive.encode(Int?.none)) == nil)
    #expect(
      try Archive.decode([String: [Date]].self, from: Archive.encode(["a": [Date(timeIntervalSince1970: 1)]])) == [
        "a": [Date(timeIntervalSince1970: 1)]
      ])
  }

  @Test("D1: every bit that flips in an archive is noticed")
  func everyBit() throws {
    let data = try Archive.encode(Creature.sample(1))
    for bit in 0..<data.count * 8 {
      var copy = data
      copy[bit / 8] ^= 1 << UInt8(bit % 8)
      let error = #expect(throws: ArchiveError.self) { try Archive.decode(Creature.self, from: copy) }
      // The first eight bytes are the signature, the next two the version of the format.
      let codes: [ArchiveError.Code] =
        bit < 64 ? [.notAnArchive] : bit < 80 ? [.newerVersion, .notAnArchive, .damaged] : [.damaged]
      #expect(error.map { codes.contains($0.code) } == true, "bit \(bit): \(String(describing: error))")
    }
  }

  @Test("D1: an archive that is cut short anywhere, or goes on, is refused")
  func truncation() throws {
    let data = try Archive.encode(Creature.sample(1))
    for count in 0..<data.count {
      let error = #expect(throws: ArchiveError.self) { try Archive.decode(Creature.self, from: data.prefix(count)) }
      #expect(error?.code == (count < 8 ? .notAnArchive : .damaged), "\(count) bytes")
    }
    let longer = #expect(throws: ArchiveError.self) { try Archive.decode(Creature.self, from: data + [0]) }
    #expect(longer?.code == .damaged)
  }

  @Test("D1: the checksum is CRC-64/XZ, whose check value is known")
  func checksum() {
    // Source of the check value: Catalogue of parametrised CRC algorithms, CRC-64/XZ.
    #expect(CRC64.checksum(Array("123456789".utf8)) == 0x995d_c9bb_df19_39fa)
  }

  @Test("D1: an error names the type, the key and the remedy")
  func errors() throws {
    struct Small: Archivable {
      static let archiveTag = "Pair"
      var number = 1
    }
    struct Large: Archivable {
      static let archiveTag = "Pair"
      var number = 1
      var list: [Creature] = []
    }
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Large.self, from: Archive.encode(Small())) }
    #expect(error?.code == .invalidValue)
    #expect(error?.type == "Pair")
    #expect(error?.keyPath == "list")
    #expect(error?.message.contains("ArchiveMigration") == true)
  }
}
