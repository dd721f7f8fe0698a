public import LarderArchive

/// A list of parts as packages have it.
public struct Manifest: Archivable {
  public struct Part: Codable {
    public var size: Int
    public var checksum: UInt64

    public init(size: Int, checksum: UInt64) {
      self.size = size
      self.checksum = checksum
    }
  }

  public static let archiveTag = "LarderArchive.DocumentManifest"
  public var parts: [String: Part]

  public init(parts: [String: Part]) { self.parts = parts }
}
