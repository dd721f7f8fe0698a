internal import Foundation

extension PackageStaging {
  /// Writes the changed parts, links the unchanged ones and other files, and writes the list of parts; synced when it
  /// returns.
  func fill(_ changes: PackageParts, over old: Old?) throws {
    let tree = try PartTree(changes, over: old?.manifest)
    var manifest = PackageManifest()
    let oldLevel = try old.flatMap { old in
      try old.manifest.map { Level(folder: old.folder, parts: try PartTree($0), root: old.folder) }
    }
    try fill(Level(folder: lock.file, parts: tree, root: old?.folder ?? lock.file), from: oldLevel, at: "", &manifest)
    let access = fileSystem.access(forFile: PackageManifest.fileName, in: old?.folder ?? lock.file)
    try Archive.encode(manifest, limits: changes.limits).withUnsafeBytes {
      try fileSystem.create(PackageManifest.fileName, in: lock.file, $0, access: access)
    }
    if let old { try fileSystem.access(ofFolder: old.folder).apply(to: lock.file, path, fileSystem) }
    try fileSystem.syncFolder(lock.file, path)
  }

  /// An open folder of a package, with its parts.
  private struct Level {
    let folder: Int32
    let parts: PartTree
    /// The folder whose access rights new files and folders get.
    let root: Int32
  }

  /// Fills one folder.
  ///
  /// - Parameters:
  ///   - new: The empty folder, and its future contents.
  ///   - old: The folder that it replaces; nil if there is none, or its parts are unknown.
  ///   - prefix: The path of the folder in the package.
  /// - Returns: Whether it has contents.
  @discardableResult
  private func fill(
    _ new: Level, from old: Level?, at prefix: String, _ manifest: inout PackageManifest
  ) throws -> Bool {
    var isFilled = false
    for (name, entry) in new.parts.entries.sorted(by: { $0.key < $1.key }) {
      guard case .part(let source) = entry else { continue }
      manifest.parts[prefix + name] = try place(source, as: name, at: prefix + name, new, old)
      isFilled = true
    }
    var folders = Set(new.parts.folderNames)
    if let old {
      folders.formUnion(old.parts.folderNames)
      for entry in try fileSystem.allNames(in: old.folder) where old.parts.entries[entry.name] == nil {
        if prefix.isEmpty, entry.name == PackageManifest.fileName { continue }
        guard try !keepStranger(entry.name, from: old, in: new, at: prefix) else {
          isFilled = true
          continue
        }
        folders.insert(entry.name)
      }
    }
    for name in folders.sorted() where try fillFolder(name, new, old, at: prefix, &manifest) { isFilled = true }
    return isFilled
  }

  /// Fills a subfolder; one without contents is removed.
  private func fillFolder(
    _ name: String, _ new: Level, _ old: Level?, at prefix: String, _ manifest: inout PackageManifest
  ) throws -> Bool {
    let parts = new.parts.folder(name)
    let name = parts?.name ?? name
    let oldParts = old?.parts.folder(name)
    let oldName = oldParts?.name ?? name
    let oldFolder = try old.flatMap { old in
      fileSystem.isFolder(oldName, in: old.folder)
        ? OpenFolder(try fileSystem.openFolder(oldName, in: old.folder)) : nil
    }
    if case .part = new.parts.entries[name] {
      guard let oldFolder, try holdsStrangers(oldFolder.file, oldParts?.tree ?? PartTree()) else { return false }
      throw stranger(prefix + name)
    }
    let made = try fileSystem.makeFolder(name, in: new.folder, like: oldFolder?.file ?? new.root)
    let level = Level(folder: made.file, parts: parts?.tree ?? PartTree(), root: oldFolder?.file ?? new.root)
    let oldLevel = oldFolder.map { Level(folder: $0.file, parts: oldParts?.tree ?? PartTree(), root: $0.file) }
    guard try fill(level, from: oldLevel, at: prefix + name + "/", &manifest) else {
      try fileSystem.removeEmptyFolder(name, in: new.folder)
      return false
    }
    try fileSystem.syncFolder(made.file, name)
    return true
  }

  /// Holds an open folder as an optional value.
  private final class OpenFolder {
    private let folder: FileSystem.Folder
    var file: Int32 { folder.file }
    init(_ folder: consuming FileSystem.Folder) { self.folder = folder }
  }

  private func place(
    _ source: PartTree.Source, as name: String, at path: String, _ new: Level, _ old: Level?
  ) throws -> PackageManifest.Part {
    // The access rights of what is replaced; for something new, those of the folder.
    let access =
      path == name || old != nil
      ? fileSystem.access(forFile: name, in: old?.folder ?? new.root) : fileSystem.access(forNewFileIn: new.root)
    switch source {
    case .old(let oldPath, let part):
      do {
        guard let old else { throw ArchiveError(.notFound, "The folder of the part is not there.") }
        try fileSystem.link(FileSystem.name(oldPath), in: old.folder, to: new.folder, as: name)
      } catch let error as ArchiveError where error.code == .notFound {
        throw ArchiveError(
          .damaged, keyPath: path,
          "The file of this part is not there. Set or remove the part in the same change, or restore the package from a copy."
        )
      }
      return part
    case .data(let data):
      try data.withUnsafeBytes { try fileSystem.create(name, in: new.folder, $0, access: access) }
      return PackageManifest.Part(size: data.count, checksum: CRC64.checksum(data))
    case .staged(let staged):
      try staged.spool.place(staged, as: name, in: new.folder, access: access)
      return staged.part
    }
  }

  /// Links what is in the package's folder but isn't a part: other files, and folders of them.
  ///
  /// - Returns: Whether it was linked; otherwise it is a folder that is also to contain parts.
  private func keepStranger(_ name: String, from old: Level, in new: Level, at prefix: String) throws -> Bool {
    switch new.parts.entries[name] {
    case .folder where fileSystem.isFolder(name, in: old.folder): return false
    case .some: throw stranger(prefix + name)
    case nil:
      try keep(name, from: old.folder, in: new.folder)
      return true
    }
  }

  private func stranger(_ path: String) -> ArchiveError {
    ArchiveError(
      .invalidName, keyPath: path,
      "There is a file of this name in the package's folder that is no part of it. Move it away, or choose another name for the part."
    )
  }

  /// Returns whether a folder contains something that isn't a part of the package.
  private func holdsStrangers(_ folder: Int32, _ parts: PartTree) throws -> Bool {
    for entry in try fileSystem.allNames(in: folder) {
      switch parts.entries[entry.name] {
      case nil: return true
      case .part: break
      case .folder(let inner):
        let opened = try fileSystem.openFolder(entry.name, in: folder)
        if try holdsStrangers(opened.file, inner) { return true }
      }
    }
    return false
  }

  private func keep(_ name: String, from old: Int32, in new: Int32) throws {
    guard fileSystem.isFolder(name, in: old) else { return try fileSystem.link(name, in: old, to: new) }
    // Folders of others may be in one another without end.
    try StackBounds.current.check()
    let source = try fileSystem.openFolder(name, in: old)
    let target = try fileSystem.makeFolder(name, in: new, like: source.file)
    for entry in try fileSystem.allNames(in: source.file) { try keep(entry.name, from: source.file, in: target.file) }
  }

  /// After the exchange, moves what was added to the old folder since it was listed to the new one.
  func keepLatecomers(of old: Old) throws {
    guard let manifest = old.manifest else { return }
    try keepLatecomers(of: try PartTree(manifest), from: old.folder, in: lock.file, isTop: true)
  }

  private func keepLatecomers(of parts: PartTree, from old: Int32, in new: Int32, isTop: Bool) throws {
    for entry in try fileSystem.names(in: old) where !isTop || entry.name != PackageManifest.fileName {
      switch parts.entries[entry.name] {
      case nil: try fileSystem.move(entry.name, from: old, to: new)
      case .part: break
      case .folder(let inner):
        guard fileSystem.isFolder(entry.name, in: old), fileSystem.isFolder(entry.name, in: new) else { continue }
        let source = try fileSystem.openFolder(entry.name, in: old)
        let target = try fileSystem.openFolder(entry.name, in: new)
        try keepLatecomers(of: inner, from: source.file, in: target.file, isTop: false)
      }
    }
  }
}
