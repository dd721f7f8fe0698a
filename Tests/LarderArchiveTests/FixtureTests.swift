import Foundation
import Testing

/// Makes the keyed archives of `Fixtures` anew; run with `LARDER_ARCHIVE_FIXTURES=1`.
@Suite("Fixtures")
struct FixtureTests {
  @Test(
    "the fixtures are made by Foundation's own archiver",
    .enabled(if: ProcessInfo.processInfo.environment["LARDER_ARCHIVE_FIXTURES"] == "1"))
  func make() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    try KeyedFixtures.creatures(isSecure: true, format: .xml).write(to: folder.appending(path: "xml.keyedarchive"))
    try KeyedFixtures.creatures(isSecure: true).write(to: folder.appending(path: "secure.keyedarchive"))
    try KeyedFixtures.creatures(isSecure: false).write(to: folder.appending(path: "plain.keyedarchive"))
  }
}
