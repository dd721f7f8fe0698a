import Foundation
import Larder
import LarderSync

/// A picture of replicas, whose bytes travel with it.
@Model("Picture")
struct FaultPicture: Hashable {
  var id: String
  @Attribute(.unique) var name: String
  var image: Attachment?
}

extension FaultScenario {
  /// Exchanges and files of sync, with attachments.
  static let sync: [FaultScenario] = [
    FaultScenario(
      name: "sync-exchange", models: [FaultPicture.self], configuration: syncing,
      prepare: { place in
        try await writePictures(1...2, to: place.store)
        try await writePictures(11...18, to: place.file("other.larder"))
      },
      steps: [
        Step("exchange") { place, store in
          let other = try openReplica(place.file("other.larder"))
          try await store.sync.exchange(with: other.sync)
          await other.close()
        }
      ],
      inspect: { place, _ in
        let (store, other) = (try openReplica(place.store), try openReplica(place.file("other.larder")))
        try await store.sync.exchange(with: other.sync)
        return try await pictureProblems(in: store, numbers: 10, place) + pictureProblems(in: other, numbers: 10, place)
      }),
    FaultScenario(
      name: "sync-export", models: [FaultPicture.self], configuration: syncing,
      // Bytes that can't be read are as good as none.
      codes: [.notFound],
      prepare: { try await writePictures(1...4, to: $0.store) },
      steps: [
        Step("export") { try await $1.sync.export(to: $0.file("changes")) },
        Step("export sealed") { try await $1.sync.export(to: $0.file("sealed"), key: key) },
      ],
      inspect: { place, done in
        var problems = FaultInspection.leftovers(place)
        for (step, name, keys) in [("export", "changes", []), ("export sealed", "sealed", [key])]
          as [(String, String, [GroupKey])]
        {
          guard place.names.contains(name) else {
            if done.contains(step) { problems.append("the file \(name) is missing") }
            continue
          }
          let copy = try openReplica(place.file("copy of \(name).larder"))
          try await copy.sync.import(from: place.file(name), keys: keys)
          problems += try await pictureProblems(in: copy, numbers: 4, place)
        }
        return problems
      }),
    FaultScenario(
      name: "sync-import", models: [FaultPicture.self], configuration: syncing,
      prepare: { place in
        try await writePictures(1...2, to: place.store)
        for (name, numbers, key) in [("changes", 11...14, nil), ("sealed", 21...24, key)]
          as [(String, ClosedRange<Int>, GroupKey?)]
        {
          let other = place.file("\(name).larder")
          try await writePictures(numbers, to: other)
          try await openReplica(other).sync.export(to: place.file(name), key: key)
        }
      },
      steps: [
        Step("import") { try await $1.sync.import(from: $0.file("changes")) },
        Step("import sealed") { try await $1.sync.import(from: $0.file("sealed"), keys: [key]) },
      ],
      inspect: { place, _ in
        let store = try openReplica(place.store)
        try await store.sync.import(from: place.file("changes"))
        try await store.sync.import(from: place.file("sealed"), keys: [key])
        return try await pictureProblems(in: store, numbers: 10, place)
      }),
  ]

  private static let key = GroupKey()

  private static var syncing: Store.Configuration {
    var configuration = Store.Configuration(busyTimeout: .milliseconds(50))
    configuration.sync = .on
    return configuration
  }

  private static func openReplica(_ url: URL) throws -> Store {
    try Store(at: url, for: FaultPicture.self, FaultProbe.self, configuration: syncing)
  }

  /// Two pieces and a little.
  private static func image(_ id: String) -> Data {
    Data(repeating: UInt8(id.utf8.count), count: 520 << 10) + Data(id.utf8)
  }

  private static func writePictures(_ numbers: ClosedRange<Int>, to url: URL) async throws {
    let store = try openReplica(url)
    for number in numbers {
      // Every fourth has bytes.
      let attachment = number % 4 == 1 ? try await store.attach(image("\(number)")) : nil
      try await store.insert(FaultPicture(id: "\(number)", name: "Picture \(number)", image: attachment))
    }
    await store.close()
  }

  /// What is missing after the exchange, the export or the import was repeated.
  private static func pictureProblems(in store: Store, numbers count: Int, _ place: FaultPlace) async throws -> [String]
  {
    let pictures = try await store.fetch(FaultPicture.all)
    var problems: [String] = []
    if pictures.count != count { problems.append("\(pictures.count) of \(count) pictures are there") }
    for picture in pictures {
      guard let attachment = picture.image else { continue }
      if try await store.data(of: attachment) != image(picture.id) {
        problems.append("the bytes of picture \(picture.id) differ")
      }
    }
    if try await !store.sync.awaitedAttachments().isEmpty { problems.append("attachments are awaited that have come") }
    let parts = place.names.filter { $0.hasSuffix(".attachments") }.flatMap { name in
      let folder = place.file(name).appending(component: "arriving").path(percentEncoded: false)
      return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
    if !place.keepsFiles, !parts.isEmpty { problems.append("parts of attachments were left behind") }
    return problems
  }
}
