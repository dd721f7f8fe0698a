import Foundation
import Larder
import LarderTestSupport
import Testing

/// A save is an update of the row that is there, never its replacement.
@Suite struct SaveTests {
  @Model("guests") struct Guest: Hashable {
    var id: UUID
    var name: String
    @Attribute(.searchable) var note: String = ""
  }

  private let guest = Guest(id: UUID(), name: "Ada", note: "window")

  private func withGuest(_ body: (Store) throws -> Void) throws {
    let store = try Store(inMemoryFor: Guest.self)
    try store.blocking.insert(guest)
    try store.blocking.sql("alter table guests add column extra text")
    try store.blocking.sql("update guests set extra = 'kept'")
    try store.blocking.sql(
      "create table stays (id integer primary key, guest blob references guests(id) on delete cascade)")
    try store.blocking.sql("insert into stays (guest) values (\(guest.id))")
    try body(store)
  }

  @Test("A3: columns that the model does not name keep their values") func otherColumns() throws {
    try withGuest { store in
      let changed = Guest(id: guest.id, name: "Grace", note: "aisle")
      try store.blocking.save(changed)
      #expect(try store.blocking.sql("select name, extra from guests", as: (String, String).self).map(\.1) == ["kept"])
      try store.blocking.save([changed])
      try store.blocking.update(changed)
      #expect(try store.blocking.sql("select extra from guests", as: String?.self) == ["kept"])
      #expect(try store.blocking.find(Guest.self, guest.id) == changed)
    }
  }

  @Test("A3: a save does not cascade, and does not change the row's place") func cascade() throws {
    try withGuest { store in
      let before = try store.blocking.sql("select rowid from guests", as: Int.self)
      try store.blocking.save(Guest(id: guest.id, name: "Grace"))
      try store.blocking.save([Guest(id: guest.id, name: "Alan")])
      #expect(try store.blocking.sql("select count(*) from stays", as: Int.self) == [1])
      #expect(try store.blocking.sql("select rowid from guests", as: Int.self) == before)
      try store.blocking.delete(guest)
      #expect(
        try store.blocking.sql("select count(*) from stays", as: Int.self) == [0],
        "deleting does cascade, so the rule is in force")
    }
  }

  @Test("A3: the full-text index follows a save") func search() throws {
    try withGuest { store in
      try store.blocking.save(Guest(id: guest.id, name: "Ada", note: "garden"))
      #expect(try store.blocking.count(Guest.search("window")) == 0)
      #expect(try store.blocking.count(Guest.search("garden")) == 1)
    }
  }
}
