import Foundation
import Synchronization

/// A regular expression in a query, equal only to itself.
///
/// `@unchecked Sendable`: `Regex` isn't Sendable, because its custom components may capture anything. The lock lets one
/// thread match at a time.
final class RegexMatcher: @unchecked Sendable, Hashable {
  private let lock = Mutex(())
  private let firstMatch: (String) throws -> Bool

  init(_ regex: some RegexComponent) {
    let regex = regex.regex
    firstMatch = { try regex.firstMatch(in: $0) != nil }
  }

  /// Creates a matcher that doesn't use a regular expression.
  init(_ matches: @escaping @Sendable (String) throws -> Bool) {
    firstMatch = matches
  }

  func matches(_ text: String) throws -> Bool {
    try lock.withLock { _ in try firstMatch(text) }
  }

  static func == (left: RegexMatcher, right: RegexMatcher) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
