import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

/// Types that decode each level several times, which would double the time with each level.
extension HostileGraphTests {
  /// Decodes with room on the stack, so that only requests are refused.
  private func decode(_ archive: NestedArchive, _ way: Repeating.Way, times: Int, count: Int) throws {
    let data = try archive.data(tag: Repeating.archiveTag)
    let plan = Repeating.Plan(way, isList: archive.container == .list, times: times, mostRequests: 1_000_000)
    let limits = Archive.Limits(count: count)
    _ = try SmallThread.run(stackSize: 8 << 20) {
      archive.format == .own
        ? try Archive.decode(Repeating.self, from: data, limits: limits, userInfo: plan.userInfo)
        : try Archive.decodeKeyed(
          Repeating.self, from: data, allowing: [NestedArchive.className: .codable(Repeating.self)], limits: limits,
          userInfo: plan.userInfo)
    }
  }

  @Test(
    "D2: a type that decodes each level several times ends at the limit of values, not after 3⁶⁰ attempts",
    arguments: NestedArchive.Format.allCases,
    [NestedArchive.Container.list, .dictionary, .object].flatMap { container in
      Repeating.Way.allCases.map { (container, $0) }
    })
  func doubling(
    _ format: NestedArchive.Format, _ shape: (container: NestedArchive.Container, way: Repeating.Way)
  ) throws {
    // An object isn't a dictionary that is decoded as a whole.
    if shape.container == .object, shape.way == .whole { return }
    let archive = NestedArchive(format, of: shape.container, levels: 60)
    let error = #expect(throws: ArchiveError.self) { try decode(archive, shape.way, times: 3, count: 1_000) }
    #expect(error?.code == .limitExceeded)
    // Once is possible with the same limit.
    try decode(archive, shape.way, times: 1, count: 1_000)
  }
}
