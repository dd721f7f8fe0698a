import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

/// Values that many others share.
extension HostileGraphTests {
  @Test(
    "D2: a value that is deeper than the stack because its ends share the others is an error",
    arguments: ["migrated", "list", "references"])
  func accumulated(_ kind: String) throws {
    let shared = SharedChains(chains: 400, length: 50)
    let data = kind == "references" ? shared.keyedArchive() : shared.payload()
    let limits = Archive.Limits(size: .max, depth: .max, count: .max, expandedSize: .max)
    let error = code {
      if kind == "migrated" {
        _ = try Archive.decode(
          Renewed.self, from: Mutation.archive(of: data, tag: "Renewed"),
          migrations: [ArchiveMigration(of: "Renewed", from: 1) { $0["a"] = 1 }], limits: limits)
      } else {
        _ = try Archive.decodeKeyed(Int.self, from: data, allowing: [:], limits: limits)
      }
    }
    #expect(error == .limitExceeded)
  }

  private struct Renewed: Archivable, Sendable {
    static let archiveTag = "Renewed"
    static let archiveVersion = 2
  }

  private func error(_ body: () throws -> Void) -> ArchiveError? {
    #expect(throws: ArchiveError.self, performing: body)
  }

  @Test("D2: a text, and data, that many references share counts for each of them", arguments: ["text", "data"])
  func sharedText(_ kind: String) throws {
    let size = 1 << 20
    func archive(_ references: Int) -> Data {
      BinaryListBuilder.keyedArchive { builder in
        let shared: BinaryListBuilder.Object =
          kind == "text" ? .text(String(repeating: "a", count: size)) : .data(Array(repeating: 1, count: size))
        let reference = builder.add(.uid(2))
        return [builder.add(.array(Array(repeating: reference, count: references))), builder.add(shared)]
      }
    }
    func decode(_ data: Data, _ limits: Archive.Limits = .default) throws -> Int {
      kind == "text"
        ? try Archive.decodeKeyed([String].self, from: data, allowing: [:], limits: limits).count
        : try Archive.decodeKeyed([Data].self, from: data, allowing: [:], limits: limits).count
    }
    let error = error { _ = try decode(archive(1_000)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.expandedSize") == true)
    #expect(try decode(archive(10), .init(expandedSize: 10 * size)) == 10)
    #expect(self.error { _ = try decode(archive(11), .init(expandedSize: 11 * size - 1)) }?.code == .limitExceeded)
  }

  @Test("D2: references that unfold into thousands of millions of values are refused before a value is built")
  func referenceBomb() throws {
    let levels = 40
    let data = BinaryListBuilder.keyedArchive { builder in
      let (classKey, nameKey, next) = (
        builder.add(.text("$class")), builder.add(.text("$classname")), ["a", "b"].map { builder.add(.text($0)) }
      )
      let type = builder.add(.uid(levels + 1))
      return (0..<levels).map { level in
        let reference = builder.add(.uid(level == levels - 1 ? 0 : level + 2))
        return builder.add(.dictionary([(classKey, type), (next[0], reference), (next[1], reference)]))
      } + [builder.add(.dictionary([(nameKey, builder.add(.text("Node")))]))]
    }
    let node = KeyedClass.building { _ in
      Issue.record("An object was built.")
      return 1
    }
    let error = error { _ = try Archive.decodeKeyed(Int.self, from: data, allowing: ["Node": node]) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.count") == true)
  }

  @Test(
    "D2: the depth of objects and references counts where it is deepest, wherever else they are named",
    arguments: [NestedArchive.Container.list, .reference])
  func sharedDepth(_ container: NestedArchive.Container) throws {
    // The root names the first of the levels, and again below arrays around it.
    func archive(levels: Int, arrays: Int) -> Data {
      BinaryListBuilder.keyedArchive { builder in
        let first = 2
        let objects = (0..<levels).map { level in
          let next = builder.add(.uid(level == levels - 1 ? 0 : first + level + 1))
          return container == .reference ? next : builder.add(.array([next]))
        }
        var around = builder.add(.uid(first))
        for _ in 0..<arrays { around = builder.add(.array([around])) }
        return [builder.add(.array([builder.add(.uid(first)), around]))] + objects
      }
    }
    struct Whole: Decodable, Sendable {
      init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
    }
    _ = try Archive.decodeKeyed(Whole.self, from: archive(levels: 40, arrays: 50), allowing: [:])
    let error = error { _ = try Archive.decodeKeyed(Whole.self, from: archive(levels: 60, arrays: 50), allowing: [:]) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.depth") == true)
  }

  @Test(
    "D2: objects in one another are refused at the limit of depth, and at the end of the stack",
    arguments: NestedArchive.Container.allCases, [101, 10_000])
  func deepObjects(_ container: NestedArchive.Container, _ levels: Int) throws {
    let classes = [NestedArchive.className: KeyedClass.codable(Repeating.self)]
    for format in [NestedArchive.Format.keyed, .xml] {
      let data = try NestedArchive(format, of: container, levels: levels).data(tag: "")
      let (deep, deeper) = (Archive.Limits.default, Archive.Limits(depth: .max))
      #expect(
        code { try Archive.decodeKeyed(Repeating.self, from: data, allowing: classes, limits: deep) } == .limitExceeded)
      if levels > 101 {
        #expect(
          code { try Archive.decodeKeyed(Repeating.self, from: data, allowing: classes, limits: deeper) }
            == .limitExceeded)
      }
    }
  }

  @Test("D2: XML is refused at the limits of values and of size, and a key that is there twice is damage")
  func xml() throws {
    func archive(_ list: String) -> Data {
      Data(
        "<plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$top</key><dict><key>root</key>\(list)</dict><key>$objects</key><array/></dict></plist>"
          .utf8)
    }
    func texts(_ count: Int, size: Int) -> Data {
      let text = "<string>\(String(repeating: "a", count: size))</string>"
      return archive("<array>\(String(repeating: text, count: count))</array>")
    }
    func decode(_ data: Data, _ limits: Archive.Limits = .default) throws -> Int {
      try Archive.decodeKeyed([String].self, from: data, allowing: [:], limits: limits).count
    }
    #expect(try decode(texts(100, size: 1), .init(count: 200)) == 100)
    let many = error { _ = try decode(texts(100, size: 1), .init(count: 90)) }
    #expect(many?.code == .limitExceeded && many?.message.contains("Limits.count") == true)
    #expect(try decode(texts(2, size: 5_000), .init(expandedSize: 11_000)) == 2)
    let large = error { _ = try decode(texts(2, size: 5_000), .init(expandedSize: 9_000)) }
    #expect(large?.code == .limitExceeded && large?.message.contains("Limits.expandedSize") == true)
    let twice = "<array><dict><key>a</key><true/><key>a</key><true/></dict></array>"
    #expect(error { _ = try decode(archive(twice)) }?.code == .damaged)
  }
}
