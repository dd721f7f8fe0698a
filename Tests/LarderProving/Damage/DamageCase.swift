import Foundation
import LarderTestSupport

/// One way to damage a file.
struct DamageCase: Sendable, CustomStringConvertible {
  enum Target: String, Sendable {
    /// The file itself, without a log.
    case file
    /// The write-ahead log beside a file.
    case log
  }

  enum Edit: Sendable {
    /// Bytes that are combined with what is there.
    case exclusiveOr(at: Int, [UInt8])
    case set(at: Int, [UInt8])
    case truncate(to: Int)
    /// One page takes the place of another.
    case copyPage(from: Int, to: Int)
  }

  let store: DamageStore
  let target: Target
  let edit: Edit
  private let text: String

  /// The size of a page of the large store, which alone is changed within pages.
  private static let pageSize = DamageStore.large.pageSize

  init(_ store: DamageStore = .large, target: Target, edit: Edit, description: String = "") {
    self.store = store
    self.target = target
    self.edit = edit
    text = description
  }

  var description: String {
    guard case .truncate(let length) = edit else { return text }
    return "the \(target.rawValue) of the \(store.rawValue) store ends after \(length) bytes"
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch edit {
    case .exclusiveOr(let position, let pattern):
      for (offset, byte) in pattern.enumerated() where position + offset < bytes.count {
        bytes[position + offset] ^= byte
      }
    case .set(let position, let pattern):
      for (offset, byte) in pattern.enumerated() where position + offset < bytes.count {
        bytes[position + offset] = byte
      }
    case .truncate(let length): bytes.removeSubrange(min(length, bytes.count)...)
    case .copyPage(let source, let target):
      bytes.replaceSubrange(
        target * Self.pageSize..<(target + 1) * Self.pageSize,
        with: bytes[source * Self.pageSize..<(source + 1) * Self.pageSize])
    }
    return bytes
  }

  // MARK: All of them

  /// Changes of a file and a log of these sizes, the same each time for a seed.
  static func changes(file: Int, log: Int, seed: UInt64) -> [DamageCase] {
    var random = SplitMix64(seed: seed)
    return header() + pages(file / pageSize, &random) + frames(log, &random)
  }

  /// The file of so many bytes, or the log, cut off at every length: first at those beside all boundaries of its pages
  /// or frames, then at the others, in an order of the seed's.
  static func truncations(
    _ store: DamageStore, _ target: Target, size: Int, seed: UInt64
  ) -> (
    boundaries: [DamageCase], others: [DamageCase]
  ) {
    let steps =
      target == .file
      ? stride(from: 0, through: size, by: store.pageSize)
      : stride(from: logHeader, through: size, by: store.pageSize + frameHeader)
    let boundaries = Set(([0] + steps).flatMap { ($0 - 1)...($0 + 1) }.filter((0..<size).contains))
    var random = SplitMix64(seed: seed)
    let others = (0..<size).filter { !boundaries.contains($0) }.shuffled(using: &random)
    func cut(_ length: Int) -> DamageCase { DamageCase(store, target: target, edit: .truncate(to: length)) }
    return (boundaries.sorted().map(cut), others.map(cut))
  }

  // Source: https://www.sqlite.org/fileformat2.html#walformat
  private static let logHeader = 32
  private static let frameHeader = 24

  /// Every byte of the header of the file.
  private static func header() -> [DamageCase] {
    (0..<100).flatMap { position in
      [UInt8(0x01), 0x80, 0xFF].map { pattern in
        DamageCase(
          target: .file, edit: .exclusiveOr(at: position, [pattern]),
          description: "byte \(position) of the file ^ \(pattern)")
      }
    }
  }

  private static func pages(_ count: Int, _ random: inout SplitMix64) -> [DamageCase] {
    var cases: [DamageCase] = []
    for page in 0..<count {
      let start = page * pageSize
      // The first page begins with the file's header.
      let tree = page == 0 ? start + 100 : start
      func add(_ edit: Edit, _ text: String) {
        cases.append(DamageCase(target: .file, edit: edit, description: "page \(page + 1): \(text)"))
      }
      for kind in [UInt8(0), 2, 5, 10, 13, 255] { add(.set(at: tree, [kind]), "its kind is \(kind)") }
      for byte in 1..<12 { add(.exclusiveOr(at: tree + byte, [0xFF]), "byte \(byte) of its head is inverted") }
      add(.set(at: tree + 3, [0xFF, 0xFF]), "as many cells as can be said")
      add(.set(at: tree + 3, [0, 0]), "no cells")
      for _ in 0..<4 {
        let position = 8 + Int.random(in: 0..<40, using: &random)
        add(
          .exclusiveOr(at: tree + position, [UInt8.random(in: 1...255, using: &random)]),
          "byte \(position), a pointer to a cell perhaps")
      }
      for _ in 0..<8 {
        let position = Int.random(in: 120..<pageSize, using: &random)
        let pattern = (0..<Int.random(in: 1...6, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
        add(.exclusiveOr(at: start + position, pattern), "\(pattern.count) bytes from \(position)")
      }
      add(.set(at: start, [UInt8](repeating: 0, count: pageSize)), "zeros")
      add(.set(at: start, [UInt8](repeating: 255, count: pageSize)), "ones")
      let other = Int.random(in: 0..<count, using: &random)
      if other != page { add(.copyPage(from: other, to: page), "is page \(other + 1) once more") }
    }
    return cases
  }

  private static func frames(_ size: Int, _ random: inout SplitMix64) -> [DamageCase] {
    var cases = (0..<logHeader).map {
      DamageCase(target: .log, edit: .exclusiveOr(at: $0, [0xFF]), description: "byte \($0) of the log is inverted")
    }
    let frameSize = pageSize + frameHeader
    for frame in 0..<(size - logHeader) / frameSize {
      let start = logHeader + frame * frameSize
      for position in [0, 3, 4, 7, 8, 12, 16, 20].map({ start + $0 })
        + (0..<4).map({ _ in start + Int.random(in: frameHeader..<frameSize, using: &random) })
      {
        let pattern = UInt8.random(in: 1...255, using: &random)
        cases.append(
          DamageCase(
            target: .log, edit: .exclusiveOr(at: position, [pattern]),
            description: "frame \(frame + 1) of the log, byte \(position - start) ^ \(pattern)"))
      }
    }
    return cases
  }
}
