import Foundation
import LarderSync

/// The bytes of attachments lie in the folder piece by piece, once for all replicas.
extension SharedFolder {
  func wanted(among attachments: [NamedAttachment]) -> [NamedAttachment: Int] {
    var wanted: [NamedAttachment: Int] = [:]
    for attachment in attachments {
      let starts = stride(from: 0, to: max(attachment.size, 1), by: AttachmentPiece.greatestSize)
      wanted[attachment] = starts.first { !FileManager.default.fileExists(atPath: url(of: attachment, $0).path) }
    }
    return wanted
  }

  func attachment(_ attachment: NamedAttachment, from offset: Int) throws -> Data? {
    if offset == attachment.size, offset > 0 { return Data() }
    let start = offset - offset % AttachmentPiece.greatestSize
    guard let bytes = try? Data(contentsOf: url(of: attachment, start)) else { return nil }
    let piece = try AttachmentPiece(decoding: bytes, of: attachment, at: start, keys: keys)
    // A row may name another size than that of the bytes.
    guard piece.end <= attachment.size, piece.end > offset || attachment.size == 0 else { return nil }
    return Data(piece.bytes.dropFirst(offset - start))
  }

  func take(_ piece: AttachmentPiece) throws -> Int? {
    let url = url(of: piece.attachment, piece.offset)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try piece.encoded(from: own, key: keys.first).write(to: url, options: .atomic)
    return piece.end < piece.attachment.size ? piece.end : nil
  }

  private func url(of attachment: NamedAttachment, _ offset: Int) -> URL {
    let digest = Data(attachment.digest.utf8)
    let name = keys.first?.hiddenName(digest, purpose: "attachment") ?? digest
    let text = name.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    return folder.appending(component: "attachments").appending(component: "\(text)-\(offset)")
  }
}
