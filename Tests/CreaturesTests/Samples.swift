import Foundation
import LarderArchive

@testable import Creatures

/// Runs the body with an empty folder that goes away afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "creatures-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// Headers of pictures, each followed by so many bytes of anything.
enum Sample {
  static func png(_ width: UInt32, _ height: UInt32, bytes: Int = 40) -> Data {
    Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8) + number(width)
      + number(height) + filler(bytes)
  }

  static func gif(_ width: UInt16, _ height: UInt16) -> Data {
    Data("GIF89a".utf8) + Data([UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)])
      + filler(20)
  }

  /// An application segment of some length comes before the frame header, as cameras write it.
  static func jpeg(_ width: UInt16, _ height: UInt16, frame: UInt8 = 0xC0) -> Data {
    Data([0xFF, 0xD8, 0xFF, 0xE1, 0x01, 0x02]) + Data(count: 256) + Data([0xFF, 0xFF, frame, 0, 17, 8])
      + number(UInt32(height)).suffix(2) + number(UInt32(width)).suffix(2) + filler(20)
  }

  static func webp(_ kind: String, _ header: [UInt8]) -> Data {
    Data("RIFF".utf8) + Data(count: 4) + Data("WEBP".utf8) + Data(kind.utf8) + Data(count: 4) + Data(header)
  }

  private static func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
  private static func filler(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

  static func upload(_ bytes: Int = 5_000) throws -> PictureUpload {
    PictureUpload(
      picture: try PictureFile.picture(png(640, 480, bytes: bytes)), thumbnail: try PictureFile.thumbnail(png(64, 48)))
  }
}

extension CreatureContent {
  static func named(_ title: String, _ rating: Int = 3) throws -> Self { try Self(title: title, rating: rating) }
}
