import Larder

/// One table through three versions of a program.
@Model("Gadget")
struct FirstGadget: Hashable {
  var id: Int
  var name: String
  var size: Int
}

@Model("Gadget")
struct SecondGadget: Hashable {
  var id: Int
  @Attribute(.indexed, originalName: "name") var title: String
  var size: Int
  var color: String = "red"
}

@Model("Gadget")
struct ThirdGadget: Hashable {
  var id: Int
  @Attribute(.indexed, originalName: "name") var title: String
  var size: Int?
  var color: String = "red"
  @Attribute(.searchable) var remark: String?
}

/// What is in the table, whatever the version.
struct GadgetRow: Equatable, Codable, Sendable {
  var name: String
  var size: Int?
  var color = "red"
  var remark: String?
}

/// A version of the program, as it opens the file, writes the table and reads it.
enum GadgetVersion: Int, Codable, Sendable {
  case first, second, third

  var next: GadgetVersion { GadgetVersion(rawValue: rawValue + 1) ?? .third }

  var model: any Model.Type {
    switch self {
    case .first: FirstGadget.self
    case .second: SecondGadget.self
    case .third: ThirdGadget.self
    }
  }

  /// All models of the version.
  var models: [any Model.Type] { Library.models + [model] }

  /// What a save of this version leaves of the row.
  func stored(_ row: GadgetRow, over old: GadgetRow?) -> GadgetRow {
    var row = row
    // A column that the version does not know keeps its value; there is none before the version that adds it.
    if self == .first { row.color = old?.color ?? "red" }
    if self != .third {
      row.remark = old?.remark
      row.size = row.size ?? 0
    }
    return row
  }

  func save(_ id: Int, _ row: GadgetRow, in db: some StoreWriter) throws {
    switch self {
    case .first: try db.save(FirstGadget(id: id, name: row.name, size: row.size ?? 0))
    case .second: try db.save(SecondGadget(id: id, title: row.name, size: row.size ?? 0, color: row.color))
    case .third: try db.save(ThirdGadget(id: id, title: row.name, size: row.size, color: row.color, remark: row.remark))
    }
  }

  func all(in db: some StoreReader) throws -> [Int: GadgetRow] {
    switch self {
    case .first:
      try Dictionary(
        uniqueKeysWithValues: db.fetch(FirstGadget.all).map { ($0.id, GadgetRow(name: $0.name, size: $0.size)) })
    case .second:
      try Dictionary(
        uniqueKeysWithValues: db.fetch(SecondGadget.all).map {
          ($0.id, GadgetRow(name: $0.title, size: $0.size, color: $0.color))
        })
    case .third:
      try Dictionary(
        uniqueKeysWithValues: db.fetch(ThirdGadget.all).map {
          ($0.id, GadgetRow(name: $0.title, size: $0.size, color: $0.color, remark: $0.remark))
        })
    }
  }
}
