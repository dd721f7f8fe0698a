import Larder

@testable import LarderSync

extension Store {
  /// Lets the file grow by so many pages, as if the disk had no room for more; without a limit for nil.
  func setRoom(_ pages: Int64?) async throws {
    try await writingModule { connection in
      let size = try connection.first("PRAGMA main.page_count") { $0.integer(0) } ?? 0
      let limit = pages.map { size + $0 } ?? 1 << 30
      _ = try connection.first("PRAGMA main.max_page_count = \(limit)") { $0.integer(0) }
    }
  }
}
