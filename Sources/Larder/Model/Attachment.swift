import Foundation
import Synchronization

/// Binary data that a store keeps in a separate file. The value identifies the data by its SHA-256 digest.
///
/// Models, documents and nested JSON can contain attachments:
///
/// ```swift
/// @Model struct Note {
///   var id: UUID = .v7()
///   var picture: Attachment?
/// }
///
/// var note = Note()
/// let picture = try await store.attach(data, name: "cat.png", mediaType: "image/png")
/// note.picture = picture
/// try await store.save(note)
/// let bytes = try await store.data(of: picture)
/// ```
///
/// Equal data is stored once. It stays as long as a row refers to it and, before that, as long as the value returned by
/// ``Store/attach(_:name:mediaType:)`` exists in the process. Two values are equal if their data, media types and file
/// names are.
public struct Attachment: Sendable {
  /// The SHA-256 digest of the data: 64 lowercase hexadecimal digits.
  public let digest: String
  /// The number of bytes.
  public let size: Int
  /// The type of the data, such as `image/png`, stored as given.
  public var mediaType: String?
  /// The name of the file for people, stored as given. It is never part of a path.
  public var fileName: String?
  /// Keeps the data while no row refers to it yet.
  private let lease: AttachmentLease?

  init(digest: String, size: Int, mediaType: String?, fileName: String?, lease: AttachmentLease?) {
    self.digest = digest
    self.size = size
    self.mediaType = mediaType
    self.fileName = fileName
    self.lease = lease
    Self.noteUse()
  }

  // MARK: Use

  private static let use = Atomic<Bool>(false)

  /// Whether this process has used an attachment. Only then can a row refer to one.
  static var areUsed: Bool { use.load(ordering: .relaxed) }

  static func noteUse() {
    if !areUsed { use.store(true, ordering: .relaxed) }
  }

  /// Returns whether a text may refer to an attachment.
  static func isNamed(in value: Value) -> Bool {
    guard var text = value.text else { return false }
    return text.withUTF8 { isNamed(in: UnsafeRawBufferPointer($0)) }
  }

  /// Returns whether the bytes of a text may refer to an attachment.
  static func isNamed(in utf8: UnsafeRawBufferPointer) -> Bool {
    guard let base = utf8.baseAddress else { return false }
    return word.withUnsafeBytes { name -> Bool in
      var start = 0
      while start + name.count <= utf8.count,
        let found = memchr(base + start, Int32(name[0]), utf8.count - start)
      {
        let position = UnsafeRawPointer(found) - base
        if position + name.count <= utf8.count, let first = name.baseAddress, memcmp(found, first, name.count) == 0 {
          return true
        }
        start = position + 1
      }
      return false
    }
  }

  /// The name by which nested JSON shows an attachment.
  private static let word = Array(CodingKeys.digest.rawValue.utf8)

  /// Returns whether a text is a digest. Nothing else ever becomes a path.
  package static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension Attachment: Hashable {
  public static func == (left: Attachment, right: Attachment) -> Bool {
    left.digest == right.digest && left.size == right.size && left.mediaType == right.mediaType
      && left.fileName == right.fileName
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
    hasher.combine(mediaType)
    hasher.combine(fileName)
  }
}

extension Attachment: Codable {
  /// The store finds attachments in nested JSON by the first of these keys.
  enum CodingKeys: String, CodingKey {
    case digest = "larder.attachment"
    case size
    case mediaType = "type"
    case fileName = "name"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let digest = try container.decode(String.self, forKey: .digest)
    guard Self.isDigest(digest) else {
      throw DecodingError.dataCorruptedError(
        forKey: .digest, in: container, debugDescription: "not 64 lowercase hexadecimal digits")
    }
    let size = try container.decode(Int.self, forKey: .size)
    guard size >= 0 else {
      throw DecodingError.dataCorruptedError(forKey: .size, in: container, debugDescription: "negative")
    }
    self.init(
      digest: digest, size: size, mediaType: try container.decodeIfPresent(String.self, forKey: .mediaType),
      fileName: try container.decodeIfPresent(String.self, forKey: .fileName), lease: nil)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(digest, forKey: .digest)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(mediaType, forKey: .mediaType)
    try container.encodeIfPresent(fileName, forKey: .fileName)
  }
}

extension Attachment: StoredValue {
  public static var storageClass: StorageClass { .text }

  public init(storedValue: Value) throws {
    if let attachment = storedValue.text.flatMap(AttachmentText.read) {
      self = attachment
    } else {
      self = try JSONCoding.decode(storedValue)
    }
  }

  public func storedValue() throws -> Value {
    try AttachmentText.write(self).map(Value.text) ?? JSONCoding.encode(self)
  }
}
