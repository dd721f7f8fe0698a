import Foundation
import LarderArchive

/// What can be done with creatures. This is where the app meets LarderArchive: a package for each creature, and a
/// change of parts for each change.
///
/// No package is kept in memory: each request opens the one that it is about, which reads the parts that are asked for
/// and no other.
actor CreaturesService {
  nonisolated let packages: PackageFolder
  private let executor = DiskExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Damage that was found when a part was read, by the name of the package; the list reads no pictures and would not
  /// know.
  var damages: [String: Set<CreaturePart>] = [:]
  /// What was deleted since the start, by the name of the package.
  var deletions: [String: DeletedPackage] = [:]
  var lastDeletion: Date
  private var listeners: [UUID: AsyncStream<[Card]>.Continuation] = [:]

  /// Opens the folder of the packages, `1.creature` and so on, and creates it if need be. Throws `ArchiveError`.
  init(folder: URL) throws {
    try self.init(packages: PackageFolder(at: folder, extension: "creature"))
  }

  init(packages: PackageFolder, now: Date = .now) {
    self.packages = packages
    lastDeletion = now
  }

  // MARK: Reading

  /// All creatures, oldest first. Reads the data of each, and no picture.
  func cards() throws -> [Card] {
    try packages.packages().compactMap(card)
  }

  /// All creatures as they are now and after each change.
  func listings() throws -> AsyncStream<[Card]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [Card].self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    continuation.yield(try cards())
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
    return stream
  }

  private func forget(_ listener: UUID) { listeners[listener] = nil }

  /// Tells all windows how things are now.
  func tellChange() {
    guard !listeners.isEmpty, let cards = try? cards() else { return }
    for listener in listeners.values { listener.yield(cards) }
  }

  /// The picture or the thumbnail, read now and checked.
  ///
  /// Throws `CreatureProblem.gone` where there is none, and `.damaged` where it is not what was written; the list says
  /// so from then on.
  func picture(_ part: CreaturePart, of name: String) throws -> PictureFile {
    let package = try package(name)
    guard let names = try? package.partNames() else { return try unlistedPicture(part, of: package) }
    guard let partName = names.first(where: { CreaturePart(partName: $0) == part }) else {
      throw CreatureProblem.gone("There is no such picture.")
    }
    do {
      guard let file = PictureFile(try package.data(for: partName)) else {
        throw CreatureProblem.damaged("This picture is none.")
      }
      return file
    } catch let error as ArchiveError where error.code == .damaged {
      if damages[name, default: []].insert(part).inserted { tellChange() }
      throw CreatureProblem.damaged("The picture is damaged. Close this, and restore what is left.")
    }
  }

  func package(_ name: String) throws -> DocumentPackage {
    do {
      return try packages.package(named: name)
    } catch let error as ArchiveError where error.code == .notFound || error.code == .invalidName {
      throw CreatureProblem.gone("This creature is not there any more.")
    }
  }

  /// A creature as it is now. Throws `CreatureProblem.gone` if there is none.
  func card(_ name: String) throws -> Card {
    guard let card = card(of: try package(name)) else {
      throw CreatureProblem.gone("This creature is not there any more.")
    }
    return card
  }

  // MARK: Writing

  /// Adds a creature under the next free number.
  func add(_ content: CreatureContent, _ upload: PictureUpload?, now: Date = .now) throws -> Card? {
    let creature = Creature(
      title: content.title, rating: content.rating, created: now, modified: now,
      picture: upload.map { Picture($0.picture) })
    let package = try packages.add { parts in
      try parts.setValue(creature, for: CreaturePart.data.rawValue)
      try parts.setPicture(upload, replacing: [])
    }
    tellChange()
    return card(of: package)
  }

  /// What becomes of the picture when a creature is changed.
  enum PictureChange: Equatable {
    case keep, remove
    case replace(PictureUpload)
  }

  /// Gives a creature another title, rating and picture, in one step, if it is still what the change is based on.
  ///
  /// Throws `CreatureProblem.changedElsewhere` if it is not, `.gone` if it was deleted, `.damaged` if its data are.
  func change(
    _ name: String, to content: CreatureContent, _ picture: PictureChange, basedOn version: Date
  ) throws -> Card? {
    try edit(name, basedOn: version) { creature, parts, old in
      creature.title = content.title
      creature.rating = content.rating
      switch picture {
      case .keep: return
      case .remove:
        creature.picture = nil
        try parts.setPicture(nil, replacing: old)
      case .replace(let upload):
        creature.picture = Picture(upload.picture)
        try parts.setPicture(upload, replacing: old)
      }
      damages[name] = nil
    }
  }

  /// Gives a creature another rating, whatever else was changed meanwhile.
  func rate(_ name: String, _ rating: Int) throws -> Card? {
    guard CreatureContent.ratings.contains(rating) else {
      throw CreatureProblem.invalid([.rating: "Give one to five stars, or none."])
    }
    return try edit(name) { creature, _, _ in creature.rating = rating }
  }

  private func edit(
    _ name: String, basedOn version: Date? = nil,
    _ apply: (inout Creature, inout PackageParts, _ parts: [String]) throws -> Void
  ) throws -> Card? {
    let package = try package(name)
    guard var creature = try? package.value(Creature.self, for: CreaturePart.data.rawValue) else {
      throw CreatureProblem.damaged("This creature is damaged. Restore what is left before you change it.")
    }
    if let version, version != creature.modified { throw CreatureProblem.changedElsewhere }
    let names = try package.partNames()
    // The date is the creature's version too, so it moves on even when the clock does not.
    creature.modified = max(.now, creature.modified.addingTimeInterval(0.001))
    try package.edit { parts in
      try apply(&creature, &parts, names)
      try parts.setValue(creature, for: CreaturePart.data.rawValue)
    }
    tellChange()
    return card(of: package)
  }
}
