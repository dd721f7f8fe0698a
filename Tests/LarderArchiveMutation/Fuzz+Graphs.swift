internal import Foundation
internal import LarderArchive
internal import LarderRandom

extension Fuzz {
  /// A graph of class instances that is encoded: it ends in the archive of its value, which is read within the same
  /// limits, or in `.limitExceeded`.
  func runGraph(_ generator: inout SplitMix64) throws {
    let graph = EncodedGraph(&generator)
    let limits = Archive.Limits(
      size: 1 << 20, depth: .random(in: 2...100, using: &generator), count: .random(in: 10...20_000, using: &generator),
      expandedSize: 4 << 20)
    let expected = graph.outcome(limits)
    do {
      let data = try Archive.encode(graph.root, limits: limits)
      let payload = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: limits) }.payload
      let archive = try Mutation.archive(of: data[payload], tag: Tree.archiveTag)
      let read = try Archive.decode(Tree.self, from: archive, limits: limits).value
      switch expected {
      case .value(let value), .either(let value): precondition(read == value, "the graph came back as another value")
      case .refused: preconditionFailure("a circle, or more than the limits allow, was encoded")
      }
    } catch let error as ArchiveError {
      if case .value = expected { preconditionFailure("a graph within the limits was refused: \(error)") }
      precondition(error.code == .limitExceeded, "a graph was refused as something else: \(error)")
      throw error
    }
  }

  /// Any value, read as what it is.
  private struct Tree: Archivable {
    static let archiveTag = "Tree"
    let value: ArchiveValue

    init(from decoder: any Decoder) throws {
      if let keyed = try? decoder.container(keyedBy: EncodedGraph.Key.self) {
        var entries: [String: ArchiveValue] = [:]
        for key in keyed.allKeys { entries[key.stringValue] = try Self(from: keyed.superDecoder(forKey: key)).value }
        value = .dictionary(entries)
      } else if var list = try? decoder.unkeyedContainer() {
        var elements: [ArchiveValue] = []
        while !list.isAtEnd { elements.append(try Self(from: list.superDecoder()).value) }
        value = .array(elements)
      } else {
        let single = try decoder.singleValueContainer()
        value = single.decodeNil() ? .null : .integer(try single.decode(Int64.self))
      }
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }
}
