internal import Crypto
internal import Foundation

/// Seals and opens the frames of one batch, in their order.
///
/// The key is that of the batch alone, so the number of a frame is a nonce that never comes twice. Source of the
/// cipher: RFC 8439. Authenticating the place of each piece, and marking the last one, follows Hoang and others, "Online
/// Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015.
struct FrameSealer: Sendable {
  private static let tagSize = 16

  private let key: Data
  /// The digest of everything up to the end of the header.
  private let digest: Data
  /// The number of frames before the next one. The header isn't sealed.
  private var index: UInt64 = 1

  /// Creates a sealer.
  ///
  /// - Parameters:
  ///   - key: The key of the group.
  ///   - salt: The random bytes of the batch.
  ///   - start: The magic and the frame of the header.
  init(_ key: GroupKey, salt: Data, start: Data) {
    self.key = key.batchKey(salt: salt)
    digest = Data(SHA256.hash(data: start))
  }

  /// Returns the payload of the next frame.
  mutating func seal(_ packed: Data, _ kind: Frame.Kind) throws -> Data {
    let box = try ChaChaPoly.seal(
      packed, using: SymmetricKey(data: key), nonce: nonce(), authenticating: place(of: kind))
    index += 1
    return box.ciphertext + box.tag
  }

  /// Returns the packed message of the next frame.
  mutating func open(_ payload: Data, _ kind: Frame.Kind) throws(BatchError.Problem) -> Data {
    guard payload.count >= Self.tagSize else { throw .init("the sealed payload is cut", code: .notAuthentic) }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: try nonce(), ciphertext: payload.dropLast(Self.tagSize), tag: payload.suffix(Self.tagSize))
      let packed = try ChaChaPoly.open(box, using: SymmetricKey(data: key), authenticating: place(of: kind))
      index += 1
      return packed
    } catch {
      throw .init("the payload wasn't sealed with the key at this place", code: .notAuthentic)
    }
  }

  private func nonce() throws -> ChaChaPoly.Nonce {
    var bytes = Data(count: 4)
    bytes.append(bigEndian: index)
    return try ChaChaPoly.Nonce(data: bytes)
  }

  private func place(of kind: Frame.Kind) -> Data {
    var place = digest
    place.append(kind.rawValue)
    place.append(bigEndian: index)
    return place
  }
}
