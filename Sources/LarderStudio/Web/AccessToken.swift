import Synchronization

/// The secret in the page's address, without which no request is answered.
struct AccessToken: Sendable {
  /// The name of the address's parameter.
  static let parameter = "token"
  /// The name of the parameter with an invitation.
  static let invitationParameter = "invitation"

  /// 128 bits of the system's randomness as hexadecimal digits.
  let text: String
  /// The name of the cookie that keeps the token. Cookies don't tell ports apart, so each studio has its own.
  let cookie: String
  /// A secret that takes the token's place in an address, once.
  let invitation: String
  private let isInvitationOpen = OpenInvitation()

  init() {
    text = Self.secret()
    invitation = Self.secret()
    cookie = "larder-studio-\(Self.digits(UInt64.random(in: .min ... .max)))"
  }

  private static func secret() -> String {
    digits(UInt64.random(in: .min ... .max)) + digits(UInt64.random(in: .min ... .max))
  }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Returns whether a text is the token, in a time that doesn't tell how much of it is right.
  func matches(_ other: some StringProtocol) -> Bool { Self.isEqual(text, other) }

  /// Returns whether a text is the invitation and comes for the first time.
  func accepts(invitation other: some StringProtocol) -> Bool {
    Self.isEqual(invitation, other) && isInvitationOpen.take()
  }

  private static func isEqual(_ text: String, _ other: some StringProtocol) -> Bool {
    let (own, other) = (Array(text.utf8), Array(other.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Whether the invitation can still be accepted.
private final class OpenInvitation: Sendable {
  private let isOpen = Mutex(true)

  /// Returns whether it could be accepted until now.
  func take() -> Bool {
    isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
  }
}
