import Foundation
import Testing

@testable import Notes

@Suite("The folder of pictures")
struct PictureFolderTests {
  private struct Interruption: Error {}

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  @Test("a picture that arrives byte by byte is kept whole")
  func wholeFile() async throws {
    try await withTemporaryFolder { url in
      let folder = try PictureFolder(at: url)
      let file = try await folder.write(pieces(png.map { Data([$0]) }))
      #expect(file.format == .png)
      #expect(try Data(contentsOf: folder.url(of: file)) == png)
      #expect(folder.size(of: file) == png.count)
      #expect(try names(in: url) == [file.rawValue])
    }
  }

  @Test("what is no picture leaves nothing behind")
  func noPicture() async throws {
    try await withTemporaryFolder { url in
      let folder = try PictureFolder(at: url)
      await #expect(throws: PictureFolder.noPicture) { try await folder.write(pieces([Data("<html>".utf8)])) }
      await #expect(throws: PictureFolder.noPicture) { try await folder.write(pieces([])) }
      #expect(try names(in: url).isEmpty)
    }
  }

  @Test("the largest picture is taken, one byte more is not")
  func limit() async throws {
    try await withTemporaryFolder { url in
      let folder = try PictureFolder(at: url)
      let rest = Data(count: PictureFolder.maximumBytes - png.count)
      let file = try await folder.write(pieces([png, rest]))
      #expect(folder.size(of: file) == PictureFolder.maximumBytes)
      await #expect(throws: PictureFolder.tooLarge) { try await folder.write(pieces([png, rest, Data([0])])) }
      #expect(try names(in: url) == [file.rawValue])
    }
  }

  @Test("an upload that breaks off leaves nothing behind")
  func brokenOff() async throws {
    try await withTemporaryFolder { url in
      let folder = try PictureFolder(at: url)
      let broken = AsyncThrowingStream<Data, any Error> { stream in
        stream.yield(png)
        stream.finish(throwing: Interruption())
      }
      await #expect(throws: Interruption.self) { try await folder.write(broken) }
      #expect(try names(in: url).isEmpty)
    }
  }

  @Test("only what nobody needs and nobody touched lately is removed")
  func removal() async throws {
    try await withTemporaryFolder { url in
      let folder = try PictureFolder(at: url)
      let needed = try await folder.write(pieces([png]))
      let old = try await folder.write(pieces([png]))
      let recent = try await folder.write(pieces([png]))
      let unfinished = url.appending(path: "\(UUID().uuidString).unfinished", directoryHint: .notDirectory)
      let stranger = url.appending(path: "holiday.png", directoryHint: .notDirectory)
      for other in [unfinished, stranger] { try png.write(to: other) }
      for aged in [folder.url(of: needed), folder.url(of: old), folder.url(of: recent), unfinished, stranger] {
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: aged.path)
      }
      try folder.letGo(of: [recent])
      try folder.removeFiles(except: [needed], untouchedSince: Date(timeIntervalSinceNow: -3600))
      #expect(try Set(names(in: url)) == [needed.rawValue, recent.rawValue, "holiday.png"])
    }
  }
}
