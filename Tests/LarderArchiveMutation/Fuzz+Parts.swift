internal import Foundation
internal import LarderArchive
internal import LarderRandom

extension Fuzz {
  /// A package whose files somebody else has changed: parts that are damaged, missing, or links, pipes or folders, and
  /// files that belong to nobody. What is read is what was written; nothing outside is read or changed; and strangers'
  /// files survive a change.
  func runParts(in url: URL, _ generator: inout SplitMix64) throws {
    let folder = try PackageFolder(at: url, extension: "parts", limits: limits)
    let place = PackagePlace(url)
    defer { place.remove() }
    let parts = Dictionary(
      uniqueKeysWithValues: ["a", "b", "images/a", "images/small/a"].map { name in
        (name, Data((0..<Int.random(in: 0...300, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
      })
    let package = try folder.add(named: place.name) { new in
      for (name, data) in parts { try new.setData(data, for: name) }
    }
    try place.makeOutside()
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      place.change(parts.keys.sorted().randomElement(using: &generator) ?? "a", parts, &generator)
    }
    package.reload()
    defer { precondition(place.isOutsideUnchanged, "what is outside of the package was changed") }
    try read(package, parts)
    let strangers = place.strangers
    try package.edit { try $0.setData(Data([4]), for: "new") }
    let added = try package.data(for: "new")
    precondition(added == Data([4]), "a change is not there")
    precondition(place.strangers == strangers, "a stranger's file was lost")
    try package.replaceAll { new in for (name, data) in parts { try new.setData(data, for: name) } }
    let (isDamaged, names) = (try package.inspect().isDamaged, try package.partNames())
    precondition(!isDamaged && names == parts.keys.sorted(), "it was not repaired")
    for (name, data) in parts {
      let repaired = try package.data(for: name)
      precondition(repaired == data, "a repaired part differs")
    }
  }

  /// Reads all parts in all ways; throws the first error, after all have been read.
  private func read(_ package: DocumentPackage, _ parts: [String: Data]) throws {
    var errors: [any Error] = []
    func attempt(_ name: String, _ body: () throws -> Data) {
      do {
        let data = try body()
        precondition(data == parts[name], "a part is read as something else than was written")
      } catch {
        errors.append(error)
      }
    }
    let inspection = try package.inspect()
    for name in parts.keys.sorted() {
      attempt(name) { try package.data(for: name) }
      attempt(name) {
        let reader = try package.snapshot().reader(for: name)
        var data = Data()
        while let piece = try reader.read(upTo: 100) { data += piece }
        return data
      }
      let data = try? package.snapshot().data(for: name)
      precondition(inspection.readable.contains(name) == (data != nil), "the inspection says otherwise")
      _ = try? package.unverifiedData(for: name)
    }
    if let error = errors.first { throw error }
  }
}

/// The files of a package, and what lies beside it.
private struct PackagePlace {
  let name = "fuzz"
  private let path: String
  private let outside: String
  private var secret: Data { Data("secret".utf8) }

  init(_ url: URL) {
    path = url.path + "/fuzz.parts"
    outside = url.path + "/outside"
  }

  private var files: FileManager { .default }

  func makeOutside() throws {
    try files.createDirectory(atPath: outside + "/small", withIntermediateDirectories: true)
    for file in ["a", "b", "small/a"] { try secret.write(to: URL(fileURLWithPath: outside + "/" + file)) }
  }

  var isOutsideUnchanged: Bool {
    (try? files.subpathsOfDirectory(atPath: outside).sorted()) == ["a", "b", "small", "small/a"]
      && ["a", "b", "small/a"].allSatisfy { files.contents(atPath: outside + "/" + $0) == secret }
  }

  func remove() {
    for path in [path, outside] { try? files.removeItem(atPath: path) }
  }

  /// The files that belong to nobody.
  var strangers: [String] {
    ((try? files.subpathsOfDirectory(atPath: path)) ?? []).filter { $0.contains("stranger") }.sorted()
  }

  func change(_ part: String, _ parts: [String: Data], _ generator: inout SplitMix64) {
    let place = path + "/" + part
    let kind = Int.random(in: 0..<11, using: &generator)
    // What lies behind a link isn't to be changed here either.
    let isLinked = (try? files.destinationOfSymbolicLink(atPath: path + "/images")) != nil
    if isLinked, part.hasPrefix("images") || kind == 7 { return }
    let replace = { (body: () throws -> Void) in
      try? files.removeItem(atPath: place)
      try? body()
    }
    switch kind {
    case 0:
      let bytes = Array(parts[part] ?? Data())
      let other = Array(parts.values.first ?? Data())
      let damaged = Mutation.damage(bytes, splicing: other.isEmpty ? [1] : other, using: &generator)
      // Not into a pipe or behind a link that an earlier change put there.
      replace { try Data(damaged).write(to: URL(fileURLWithPath: place)) }
    case 1: replace {}
    case 2: replace { try files.createSymbolicLink(atPath: place, withDestinationPath: outside + "/a") }
    case 3: replace { try files.createSymbolicLink(atPath: place, withDestinationPath: "b") }
    case 4: replace { _ = mkfifo(place, 0o600) }
    case 5: replace { try files.createDirectory(atPath: place, withIntermediateDirectories: false) }
    case 6:
      try? files.removeItem(atPath: path + "/images")
      try? files.createSymbolicLink(atPath: path + "/images", withDestinationPath: outside)
    case 7: try? Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/images/stranger"))
    case 8:
      try? files.createDirectory(atPath: path + "/stranger/inner", withIntermediateDirectories: true)
      try? Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/stranger/inner/.hidden"))
    case 9: try? files.createSymbolicLink(atPath: path + "/stranger.link", withDestinationPath: outside + "/a")
    default: try? files.removeItem(atPath: path + "/.manifest")
    }
  }
}
