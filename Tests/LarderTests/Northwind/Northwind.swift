import Foundation
import Larder
import Testing

/// Where the real data is, and the program that people ask it with.
enum Northwind {
  /// `LARDER_TEST_DATA`, or the folder `shared/data` beside the package.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["LARDER_TEST_DATA"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return package.deletingLastPathComponent().appendingPathComponent("shared/data", isDirectory: true)
  }()

  static let file = folder.appendingPathComponent("northwind.db")
  static let isThere = FileManager.default.fileExists(atPath: file.path)
  static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static let canAsk = isThere && shell != nil

  static let models: [any Model.Type] = [
    NorthwindOrder.self, NorthwindDetail.self, NorthwindCustomer.self, NorthwindProduct.self,
  ]

  /// The file itself, where it lies.
  static func store(at file: URL = file) throws -> Store {
    try Store(at: file, for: models, configuration: .init(schema: .existing))
  }

  /// Calls the closure with a copy of the file, which goes away afterwards.
  static func withCopy(_ body: (URL) async throws -> Void) async throws {
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("larder-northwind-\(UUID()).db")
    try FileManager.default.copyItem(at: file, to: copy)
    // The copy of a read-only file is read-only.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
    defer {
      for ending in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: copy.path + ending) }
    }
    try await body(copy)
  }

  /// What the command line answers to the SQL: for each row, the values by the names of its columns.
  static func ask(_ sql: String, of file: URL = file) throws -> [[String: Answer]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(shell))
    process.arguments = ["-readonly", "-json", file.path, sql]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let json = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "sqlite3 refuses \(sql)")
    return json.isEmpty ? [] : try JSONDecoder().decode([[String: Answer]].self, from: json)
  }
}

/// One value of an answer; numbers are equal to within the last digits that the command line prints.
enum Answer: Decodable, Equatable, CustomStringConvertible {
  case null
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  init(_ value: Int?) { self = value.map { .number(Double($0)) } ?? .null }
  init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
  init(_ value: Decimal?) { self = value.map { .number(($0 as NSDecimalNumber).doubleValue) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }

  /// The day of a date, as the file writes it.
  init(_ value: Date?) { self = value.map { .text(String($0.ISO8601Format().prefix(10))) } ?? .null }

  static func == (left: Answer, right: Answer) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.number(let left), .number(let right)): abs(left - right) <= 1e-12 * max(1, abs(left), abs(right))
    case (.text(let left), .text(let right)): left == right
    default: false
    }
  }

  var description: String {
    switch self {
    case .null: "null"
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }
}

/// A day in UTC.
func day(_ year: Int, _ month: Int, _ day: Int) throws -> Date {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
  return try #require(calendar.date(from: DateComponents(year: year, month: month, day: day)))
}
