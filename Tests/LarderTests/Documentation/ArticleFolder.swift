import Foundation

/// A folder for the files that an article's code makes; removed together with the value.
final class ArticleFolder {
  let url = URL.temporaryDirectory.appending(
    component: "larder-article-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL {
    url.appending(component: name, directoryHint: .notDirectory)
  }
}
