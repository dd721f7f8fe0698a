import Larder

/// An account of the ledger whose sum must never change.
@Model
struct KillAccount: Hashable {
  var id: Int
  var balance: Int
}

/// What one transaction moved from one account to another.
@Model
struct KillTransfer: Hashable {
  var id: Int
  var source: ToOne<KillAccount>
  var target: ToOne<KillAccount>
  var amount: Int
}

/// The last number that a writer was told is stored.
@Model
struct KillCounter: Hashable {
  var id: Int
  var number: Int
}

/// A row that was saved alone, in a group commit.
@Model
struct KillNote: Hashable {
  var id: Int
  var text: String
  var content: Attachment?
}

/// One of two rows that a context saves together.
@Model
struct KillHalf: Hashable {
  var id: Int
  var partner: Int
}

/// A row that soon expires, so that the sweeper is at work.
@Model(expires: true)
struct KillToken: Hashable {
  var id: Int
}

enum KillStore {
  static let accounts = 8
  static let total = 8000
  /// The identifiers of one run of a writer begin with a multiple of this.
  static let span = 1_000_000

  static func open(_ path: String) throws -> Store {
    let store = try Store(
      at: path, for: KillAccount.self, KillTransfer.self, KillCounter.self, KillNote.self, KillHalf.self,
      KillToken.self,
      configuration: Store.Configuration(readers: 2, busyTimeout: .seconds(30)))
    try store.blocking.once("accounts") { db in
      try db.insert((0..<accounts).map { KillAccount(id: $0, balance: total / accounts) })
    }
    return store
  }

  static func text(of id: Int) -> String { "note \(id)" }

  static func bytes(of id: Int) -> [UInt8] {
    Array("bytes of \(id / 3) ".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: id / 3), count: 300)
  }
}
