internal import Foundation
internal import LarderArchive
internal import LarderRandom

/// Cases that take longer than others, so that they are rare; each has a law.
extension Fuzz {
  /// Runs the large case of a seed.
  public func runLarge(_ format: NestedArchive.Format, seed: UInt64, _ outcome: inout Outcome) {
    var generator = SplitMix64(seed: seed)
    count(&outcome) { try runLarge(format, &generator) }
  }

  func runLarge(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws {
    switch Int.random(in: 0..<(format == .xml ? 2 : 4), using: &generator) {
    case 0, 1: try runDeep(format, &generator)
    case 2: try runShared(format, &generator)
    default: try runOverlapping(format, &generator)
    }
  }

  /// Up to 50,000 levels, with and without a limit of depth.
  private func runDeep(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws {
    let levels = Int(exp2(Double.random(in: 4...15.6, using: &generator)))
    let container = NestedArchive.Container.allCases.randomElement(using: &generator) ?? .list
    let hasLimit = Bool.random(using: &generator)
    let limits = Archive.Limits(size: .max, depth: hasLimit ? 100 : .max, count: .max)
    let result = Result {
      try decode(NestedArchive(format, of: container, levels: levels), .decode, times: 1, limits)
    }
    // No level takes less than thirty bytes of a stack of 512 KB.
    expect(result, fails: levels > (hasLimit ? 101 : 17_000), succeeds: levels < 30)
    try result.get()
  }

  /// Up to 60 levels, each of which is decoded several times.
  func runRepeated(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws {
    let levels = Int.random(in: 1...60, using: &generator)
    let containers: [NestedArchive.Container] = [.list, .dictionary, .object]
    let container = containers.randomElement(using: &generator) ?? .list
    let way = Repeating.Way.allCases.randomElement(using: &generator) ?? .decode
    let times = Int.random(in: 1...3, using: &generator)
    let result = Result {
      try decode(NestedArchive(format, of: container, levels: levels), way, times: times, .init(count: 1_500))
    }
    // An object isn't a dictionary that is decoded as a whole.
    let isMismatch = format != .own && container == .object && way == .whole
    if !isMismatch { expect(result, fails: times > 1 && levels > 20, succeeds: times == 1 || levels < 6) }
    try result.get()
  }

  private func decode(
    _ archive: NestedArchive, _ way: Repeating.Way, times: Int, _ limits: Archive.Limits
  ) throws {
    let data = try archive.data(tag: Repeating.archiveTag)
    let isList = archive.container == .list || archive.container == .reference
    let plan = Repeating.Plan(way, isList: isList, times: times, mostRequests: 100_000)
    if archive.format == .own {
      _ = try Archive.decode(Repeating.self, from: data, limits: limits, userInfo: plan.userInfo)
    } else {
      let classes = [NestedArchive.className: KeyedClass.codable(Repeating.self)]
      _ = try Archive.decodeKeyed(
        Repeating.self, from: data, allowing: classes, limits: limits, userInfo: plan.userInfo)
    }
  }

  /// Chains that end in one another, of up to 40,000 levels together.
  private func runShared(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws {
    let (chains, length) = (Int.random(in: 1...400, using: &generator), Int.random(in: 1...100, using: &generator))
    let shared = SharedChains(chains: chains, length: length)
    let limits = Archive.Limits(size: .max, depth: .max, count: .max)
    let result = Result {
      if format == .own {
        let archive = try Mutation.archive(of: shared.payload(), tag: Repeating.archiveTag)
        // A step sees a tree.
        let migration = ArchiveMigration(of: Repeating.archiveTag, from: 1, to: Rewritten.archiveTag) { _ in }
        _ = try Archive.decode(Rewritten.self, from: archive, migrations: [migration], limits: limits)
      } else {
        _ = try Archive.decodeKeyed(Repeating.self, from: shared.keyedArchive(), allowing: [:], limits: limits)
      }
    }
    expect(result, fails: chains * length > 17_000, succeeds: chains * length < 30)
    try result.get()
  }

  /// What ``Repeating`` became; it decodes nothing.
  private struct Rewritten: Archivable {
    static let archiveTag = "Rewritten"
    static let archiveVersion = 2
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
  }

  /// Up to a thousand texts of up to a megabyte, which lie over one another in the file.
  private func runOverlapping(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws {
    let count = Int(exp2(Double.random(in: 1...10, using: &generator)))
    let length = Bool.random(using: &generator) ? 0x7f7f : 0x0f_7f7f
    let areKeys = Bool.random(using: &generator)
    let limits = Archive.Limits(size: 4 << 20, expandedSize: 4 << 20)
    let result = Result {
      if format == .own {
        var builder = BinaryListBuilder()
        for _ in 0..<2 { builder.add(.null) }
        let texts = builder.addOverlappingTexts(count, length: length)
        let null = builder.add(.null)
        builder.objects[0] = .array([1])
        builder.objects[1] = areKeys ? .dictionary(texts.map { ($0, null) }) : .array(texts)
        let tag = areKeys ? "[Swift.String: Swift.Int?]" : "[Swift.String]"
        let archive = try Mutation.archive(of: builder.list(), tag: tag)
        return areKeys
          ? try Archive.decode([String: Int?].self, from: archive, limits: limits).count
          : try Archive.decode([String].self, from: archive, limits: limits).count
      }
      let data = BinaryListBuilder.keyedArchive { builder in
        let texts = builder.addOverlappingTexts(count, length: length)
        let references = (0..<count).map { builder.add(.uid(2 + $0)) }
        return [builder.add(.array(references))] + texts
      }
      return try Archive.decodeKeyed([String].self, from: data, allowing: [:], limits: limits).count
    }
    expect(result, fails: count * length > limits.expandedSize, succeeds: count * length < limits.expandedSize / 2)
    precondition((try? result.get()).map { $0 == count } ?? true, "texts were lost")
    _ = try result.get()
  }

  /// Ends the run if the result isn't what it must be.
  private func expect<Value>(_ result: Result<Value, any Error>, fails: Bool, succeeds: Bool) {
    switch result {
    case .success: precondition(!fails, "what is too much was read")
    case .failure(let error):
      precondition(!succeeds, "what is within the limits was refused: \(error)")
      precondition((error as? ArchiveError)?.code == .limitExceeded, "it was refused as something else: \(error)")
    }
  }
}
