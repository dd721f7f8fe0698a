import Foundation

@testable import Ledger

/// Runs the body with a ledger in an empty folder that goes away afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "ledger-\(UUID().uuidString)", directoryHint: .isDirectory)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// Runs the body with a new ledger.
func withLedger<Result>(_ body: (LedgerService) async throws -> Result) async throws -> Result {
  try await withTemporaryFolder { try await body(LedgerService(folder: $0)) }
}

/// The parts of a ledger as tests ask for them.
extension LedgerService {
  func account(_ name: String = "Cash", _ currency: Currency = .eur, initially value: Decimal = 0) async throws -> UUID
  {
    try await createAccount(AccountContent(name: name, currency: currency, initialValue: value))
  }

  @discardableResult
  func cost(
    _ amount: String, of account: UUID, category: UUID? = nil, on day: String = "2026-11-21", note: String = ""
  ) async throws -> UUID {
    try await createCost(
      CostContent(
        amount: Decimal(typed: amount), date: Day(typed: day), note: note, account: account, category: category))
  }

  func state(_ filter: CostFilter = CostFilter()) async throws -> Overview {
    try await overview(filter, limit: 1000)
  }

  func balance(_ account: UUID) async throws -> String? {
    try await state().accounts.first { $0.id == account }?.balance
  }

  /// The state without what undo and redo would do.
  func content() async throws -> [String] {
    let state = try await state()
    return state.accounts.map { "\($0)" } + state.categories.map { "\($0)" } + state.costs.map { "\($0)" }
  }
}
