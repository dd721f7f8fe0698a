import ExampleWeb
import Foundation
import LarderArchive

extension CreaturesService {
  // MARK: Showing

  /// What the list shows of a package; nil where it was deleted just now. Reads its data, and of a damaged one what is
  /// left of them.
  func card(of package: DocumentPackage) -> Card? {
    var card = Card(name: package.name)
    var names: [String] = []
    var lost = damages[package.name] ?? []
    do {
      names = try package.partNames()
      card.show(try package.value(Creature.self, for: CreaturePart.data.rawValue))
      if let picture = card.picture, size(of: package, picture) != picture.bytes { lost.insert(.picture) }
    } catch let error as ArchiveError where error.isObstacle {
      card.damage = Damage(lost: [], left: [], obstacle: error.message)
      return card
    } catch {
      guard let (problems, files) = problems(of: package) else { return nil }
      lost.formUnion(problems)
      names = files
      if problems.contains(.list), let creature = unlistedCreature(of: package) {
        card.show(creature)
      } else {
        lost.insert(.data)
      }
    }
    var there = Set(names.compactMap(CreaturePart.init(partName:)))
    if lost.contains(.list) { there = there.filter { $0 == .data || (try? unlistedPicture($0, of: package)) != nil } }
    card.hasThumbnail = there.contains(.thumbnail) && !lost.contains(.thumbnail)
    if !lost.isEmpty {
      card.damage = Damage(lost: lost.sorted(), left: there.subtracting(lost).sorted())
      if lost.contains(.picture) { card.damage?.hasRemnant = (try? remnant(of: package.name)) != nil }
    }
    return card
  }

  /// The size of the picture's file, nil where it is not there: one look at the folder, and the picture stays unread.
  private func size(of package: DocumentPackage, _ picture: Picture) -> Int? {
    let file = package.url.appending(path: CreaturePart.picture.name(picture.format), directoryHint: .notDirectory)
    return try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
  }

  /// What reading the data and the list has found wrong, and the names of the parts; nil where there is no package.
  private func problems(of package: DocumentPackage) -> (Set<CreaturePart>, [String])? {
    guard (try? packages.package(named: package.name)) != nil else { return nil }
    if let names = try? package.partNames() { return ([.data], names) }
    let files = try? FileManager.default.contentsOfDirectory(atPath: package.url.path)
    return ([.list], files ?? [])
  }

  /// The data of a package whose list of parts is lost: an archive vouches for itself.
  private func unlistedCreature(of package: DocumentPackage) -> Creature? {
    try? Archive.decode(
      Creature.self, from: package.unverifiedData(for: CreaturePart.data.rawValue), limits: packages.limits)
  }

  /// A picture of a package whose list of parts is lost: it counts as whole as long as it begins as one and has the
  /// length that the data say.
  func unlistedPicture(_ part: CreaturePart, of package: DocumentPackage) throws -> PictureFile {
    for format in PictureFormat.allCases {
      guard let file = (try? package.unverifiedData(for: part.name(format))).flatMap(PictureFile.init),
        file.format == format
      else { continue }
      if part == .picture, let known = unlistedCreature(of: package)?.picture, known.bytes != file.content.count {
        continue
      }
      return file
    }
    throw CreatureProblem.gone("Nothing is left of this picture.")
  }

  /// The bytes of a damaged picture as they are, for somebody who wants to see what is left of it.
  ///
  /// Throws `CreatureProblem.gone` where they are no picture at all.
  func remnant(of name: String) throws -> (format: PictureFormat, content: Data) {
    let package = try package(name)
    for format in PictureFormat.allCases {
      guard let content = try? package.unverifiedData(for: CreaturePart.picture.name(format)) else { continue }
      guard PictureFormat(signature: content) == format else { break }
      return (format, content)
    }
    throw CreatureProblem.gone("Nothing is left of this picture.")
  }

  // MARK: Finding

  /// Reads every part of every creature, and says how many creatures are damaged.
  func check() throws -> (creatures: Int, damaged: Int) {
    damages = [:]
    let all = try packages.packages()
    for package in all {
      guard let inspection = try? package.inspect(), inspection.isDamaged else { continue }
      // What begins with a point is the list; files of others are not ours to judge.
      damages[package.name] = Set(
        inspection.problems.keys.compactMap { CreaturePart(partName: $0) ?? ($0.hasPrefix(".") ? .list : nil) })
    }
    let cards = all.compactMap(card)
    tellChange()
    return (cards.count, cards.count { $0.damage != nil })
  }

  // MARK: Restoring

  /// Makes a whole package of what is left of a damaged one; `thumbnail` stands in for a lost one.
  ///
  /// Where the picture is lost, the small one takes its place. Throws `CreatureProblem.damaged` where nothing is left.
  func restore(_ name: String, thumbnail: PictureFile? = nil) throws -> Card? {
    let package = try package(name)
    guard let card = card(of: package) else { throw CreatureProblem.gone("This creature is not there any more.") }
    if let obstacle = card.damage?.obstacle { throw CreatureProblem.damaged(obstacle) }
    let pictures = try remains(of: package)
    let small = pictures[.thumbnail] ?? thumbnail
    let upload = (pictures[.picture] ?? pictures[.thumbnail]).map { PictureUpload(picture: $0, thumbnail: small) }
    guard card.title != nil || upload != nil else {
      throw CreatureProblem.damaged("Nothing of this creature can be restored. You can delete it.")
    }
    let creature = Creature(
      title: card.title ?? "Creature \(name)", rating: card.rating ?? 0, created: card.created ?? .now, modified: .now,
      picture: upload.map { Picture($0.picture) })
    try package.replaceAll { parts in
      try parts.setValue(creature, for: CreaturePart.data.rawValue)
      try parts.setPicture(upload, replacing: [])
    }
    damages[name] = nil
    tellChange()
    return self.card(of: package)
  }

  /// The pictures that are whole; where the list of parts is lost, those that still look like one.
  private func remains(of package: DocumentPackage) throws -> [CreaturePart: PictureFile] {
    let inspection = try package.inspect()
    var pictures: [CreaturePart: PictureFile] = [:]
    for part in [CreaturePart.thumbnail, .picture] {
      if let name = inspection.readable.first(where: { CreaturePart(partName: $0) == part }) {
        pictures[part] = try PictureFile(package.unverifiedData(for: name))
      } else if !inspection.unverified.isEmpty {
        pictures[part] = try? unlistedPicture(part, of: package)
      }
    }
    return pictures
  }
}

extension ArchiveError {
  /// Whether the package may be whole although it cannot be read: then nothing of it may be replaced.
  fileprivate var isObstacle: Bool {
    [.newerVersion, .noPermission, .inputOutput, .diskFull, .limitExceeded, .missingMigration].contains(code)
  }
}
