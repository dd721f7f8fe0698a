import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    var views = 0
  }
}

@Suite("Files that a newer program wrote")
struct NewerFileTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(title: "a")])
  }

  @Test("a file of a newer format is left untouched")
  func format() throws {
    try file.sql("update _larder_info set value = 99 where key = 'format'")
    try file.expectRefusal(.newerFile, naming: "99", "Update") { _ = try file.open(First.Note.self) }
    try file.expectRefusal(.newerFile) { _ = try file.open(Second.Note.self, migrations: [Migration("x") { _ in }]) }
    try file.expectRefusal(.newerFile) { _ = try Store.plan(at: file.path, for: First.Note.self) }
  }

  @Test("a file in which an unknown migration ran is left untouched")
  func migration() throws {
    let known = Migration("known") { _ in }
    _ = try file.open(First.Note.self, migrations: [known, Migration("unknown") { _ in }])
    try file.expectRefusal(.newerFile, naming: "unknown") { _ = try file.open(First.Note.self, migrations: [known]) }
    try file.expectRefusal(.newerFile, naming: "unknown") { _ = try file.open(First.Note.self) }
    try file.expectRefusal(.newerFile) {
      _ = try file.open(First.Note.self, migrations: [known, Migration("other") { _ in }])
    }
  }

  @Test("a migration in the middle may be forgotten once a later one has run")
  func forgotten() throws {
    let last = Migration("last") { _ in }
    _ = try file.open(First.Note.self, migrations: [Migration("first") { _ in }, last])
    _ = try file.open(First.Note.self, migrations: [last])
  }

  @Test("a model that lacks what a newer one added is refused")
  func columns() throws {
    try file.write([Second.Note(title: "b", views: 3)])
    try file.expectRefusal(.newerFile, naming: "views") { _ = try file.open(First.Note.self) }
    try file.expectRefusal(.newerFile, naming: "views") { _ = try Store.plan(at: file.path, for: First.Note.self) }
    #expect(try file.open(Second.Note.self).blocking.sum(Second.Note.all, of: \.views) == 3)
  }

  @Test("a migration that drops what was added goes back on purpose")
  func back() throws {
    try file.write([Second.Note(title: "b", views: 3)])
    let back = Migration("without views") { db in try db.dropColumn("views", of: Second.Note.self) }
    for _ in 0..<2 {
      let store = try file.open(First.Note.self, migrations: [back])
      #expect(try store.blocking.count(First.Note.all) == 2)
    }
    try file.expectRefusal(.newerFile) { _ = try file.open(Second.Note.self) }
  }
}
