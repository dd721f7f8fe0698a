import Foundation
import Larder
import Synchronization

/// The descriptions of tables that this process has read. Each use of a file needs them, and they seldom change.
enum KnownDescriptions {
  private static let known = Mutex<[Data: ModuleTable]>([:])
  /// The most descriptions that are kept: more than the models of most programs.
  private static let limit = 256

  static func decode(_ data: Data) throws -> ModuleTable {
    if let description = known.withLock({ $0[data] }) { return description }
    let description = try JSONDecoder().decode(ModuleTable.self, from: data)
    known.withLock { known in
      if known.count >= limit { known.removeAll() }
      known[data] = description
    }
    return description
  }
}
