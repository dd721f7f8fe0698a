import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

private final class Tree: Codable {
  var child: Tree?
  init(_ child: Tree?) { self.child = child }
}

@Suite("Archives: limits")
struct LimitTests {
  @Test("D2: size, depth, count and unfolded size have limits")
  func limits() throws {
    func code(_ data: Data, _ limits: Archive.Limits) -> ArchiveError.Code? {
      #expect(throws: ArchiveError.self) { try Archive.decode([[String]].self, from: data, limits: limits) }?.code
    }
    let data = try Archive.encode(Array(repeating: Array(repeating: "the same text", count: 100), count: 100))
    #expect(try Archive.decode([[String]].self, from: data).count == 100)
    #expect(code(data, .init(size: data.count - 1)) == .limitExceeded)
    #expect(code(data, .init(depth: 2)) == .limitExceeded)
    #expect(code(data, .init(count: 10_000)) == .limitExceeded)
    #expect(code(data, .init(expandedSize: 100_000)) == .limitExceeded)
    #expect(
      try Archive.decode(
        [[String]].self, from: data, limits: .init(size: data.count, depth: 3, count: 10_102, expandedSize: 130_000)
      ).count == 100)
  }

  @Test("D2: an archive that is too deep is refused, not followed")
  func depth() throws {
    var tree = Tree(nil)
    for _ in 0..<150 { tree = Tree(tree) }
    let data = try Archive.encode(tree, limits: .init(depth: 200))
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Tree.self, from: data) }
    #expect(error?.code == .limitExceeded)
    _ = try Archive.decode(Tree.self, from: data, limits: .init(depth: 200))
  }

  @Test("D2: the depth of what is named twice counts where it is deepest")
  func sharedDepth() throws {
    // Array 2 is two levels high; array 1, the value, names it directly, and once more below 5, 6 and 7.
    let archive = try Mutation.archive(
      of: Plists.arrays([[1], [2, 5], [3], [4], [], [6], [7], [2]]), tag: "[Swift.Int]")
    func code(_ depth: Int) -> ArchiveError.Code? {
      #expect(throws: ArchiveError.self) { try Archive.decode([Int].self, from: archive, limits: .init(depth: depth)) }?
        .code
    }
    #expect(code(6) == .limitExceeded)
    #expect(code(8) == .invalidValue)
  }

  @Test("D2: a small file that unfolds into thousands of millions of values is refused", arguments: [false, true])
  func bomb(isKeyed: Bool) throws {
    let plist = Plists.arrays((0..<40).map { [$0 + 1, $0 + 1] } + [[]])
    let error =
      isKeyed
      ? #expect(throws: ArchiveError.self) { try Archive.decodeKeyed(Int.self, from: plist, allowing: [:]) }
      : #expect(throws: ArchiveError.self) {
        try Archive.decode([Int].self, from: Mutation.archive(of: plist, tag: "[Swift.Int]"))
      }
    #expect(error?.code == .limitExceeded)
  }

  @Test("D2: containers that hold themselves are refused", arguments: [[[0]], [[1], [0]], [[1], [2], [1]]])
  func cycles(_ arrays: [[Int]]) throws {
    let archive = try Mutation.archive(of: Plists.arrays(arrays), tag: "[Swift.Int]")
    let error = #expect(throws: ArchiveError.self) { try Archive.decode([Int].self, from: archive) }
    #expect(error?.code == .damaged)
  }
}

/// Property lists that no encoder writes.
enum Plists {
  /// A binary property list of arrays, each named by its number; the first is the top.
  static func arrays(_ arrays: [[Int]]) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for array in arrays {
      offsets.append(bytes.count)
      bytes.append(0xa0 | UInt8(array.count))
      bytes += array.map { UInt8($0) }
    }
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xff)] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [arrays.count, 0, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    return Data(bytes)
  }
}
