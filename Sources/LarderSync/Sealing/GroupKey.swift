internal import Crypto
public import Foundation

/// The key of a group of replicas: what they hand each other is sealed with it, so that who relays it can't read it.
///
/// A key is made once, and brought to the other replicas by another way than the changes: as text, for example in a QR
/// code. Keep it in the keychain. Whoever has it can read everything that the group sends and has sent with it.
///
/// To rotate keys, give all replicas the new one beside the old one: a writer seals with one key, and a reader opens
/// with any of those it is given. What was sealed with an old key stays readable to those who have that.
///
/// A key says who may read and write as a member of the group, not which member wrote.
public struct GroupKey: Sendable {
  /// The number of bytes of every key.
  static let byteCount = 32

  /// The 32 bytes. `SymmetricKey` isn't `Sendable` everywhere.
  let bytes: Data
  /// The identifier of the key, which every batch that it seals shows: 16 bytes, from which the key can't be found.
  public let id: Data

  /// Creates a random key.
  public init() {
    self.init(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
  }

  /// Creates the key with these bytes.
  ///
  /// - Returns: nil for another number of bytes than 32.
  init?(bytes: Data) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(Data(bytes))
  }

  private init(_ bytes: Data) {
    self.bytes = bytes
    id = Self.derive(from: bytes, "larder sync 1 key identifier", count: ReplicaID.byteCount)
  }

  /// The key of one batch.
  ///
  /// - Parameter salt: The random bytes of the batch.
  func batchKey(salt: Data) -> Data {
    Self.derive(from: bytes, salt: salt, "larder sync 1 batch", count: Self.byteCount)
  }

  private static func derive(from key: Data, salt: Data = Data(), _ purpose: String, count: Int) -> Data {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: key), salt: salt, info: Data(purpose.utf8), outputByteCount: count
    ).withUnsafeBytes { Data($0) }
  }

  /// Hides a name from those who must find something by it, but may not read it, as a hub must find attachments.
  ///
  /// The same name is hidden in the same way by everybody who has the key. Without the key, the hidden name tells
  /// nothing about the name but whether two are equal.
  ///
  /// - Parameters:
  ///   - name: The name, such as a digest, a model or the key of a row.
  ///   - purpose: What kind of name it is, so that equal names of two kinds don't look equal.
  /// - Returns: 32 bytes.
  public func hiddenName(_ name: Data, purpose: String) -> Data {
    let key = SymmetricKey(data: Self.derive(from: bytes, "larder sync 1 names", count: Self.byteCount))
    return Data(HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8) + [0] + name, using: key))
  }
}

extension GroupKey: Hashable {
  /// Compares the keys in constant time.
  public static func == (left: GroupKey, right: GroupKey) -> Bool {
    SymmetricKey(data: left.bytes) == SymmetricKey(data: right.bytes)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension GroupKey: CustomStringConvertible, CustomReflectable {
  /// The beginning of the identifier. It doesn't show the key.
  public var description: String {
    let digits = id.prefix(4).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
    return "GroupKey(\(digits.joined())…)"
  }

  /// The identifier alone, so that `dump` doesn't show the key.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
