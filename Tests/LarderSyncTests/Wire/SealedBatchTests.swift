import Foundation
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Sealed batches")
struct SealedBatchTests {
  @Test("any batch arrives sealed as it was sent, compressed or not", arguments: 200..<230)
  func roundTrip(seed: Int) throws {
    var random = RandomBatch(seed: UInt64(seed))
    let batch = random.batch(rowCount: random.number(0...40))
    let key = GroupKey()
    for compression in [nil, .zlib] as [BatchCompression?] {
      let bytes = try batch.encoded(key: key, compression: compression)
      #expect(try ChangeBatch(decoding: bytes, keys: [key]) == batch, "seed \(seed)")
    }
  }

  @Test("who relays sees the header, and nothing of names, keys, values, models or other replicas")
  func hidden() throws {
    let batch = try KnownBatch.make()
    let (key, other) = (GroupKey(), GroupKey())
    let bytes = try batch.encoded(key: key)
    var verifier = BatchVerifier()
    verifier = try checking(bytes, verifier)
    let header = try verifier.finish()
    #expect(header.sender == batch.sender)
    #expect(header.recipient == batch.recipient)
    #expect(header.upTo == batch.upTo)
    #expect(header.keyID == key.id)
    // Two bytes are in some ciphertexts by chance; what isn't hidden is in all.
    let sealed = try (0..<8).map { _ in try batch.encoded(key: key) }
    for secret in [Data("Note".utf8), Data("title".utf8), Data("n1".utf8), Data([0xde, 0xad]), Data(count: 16)] {
      #expect(sealed.contains { $0.range(of: secret) == nil })
    }
    let third = try #require(batch.knowledge.first?.origin)
    #expect(bytes.range(of: third.bytes) == nil)
    // The same batch never looks the same.
    let again = try batch.encoded(key: key)
    #expect(again.count == bytes.count)
    #expect(again.dropFirst(120) != bytes.dropFirst(120))
    #expect(key.id != other.id)
  }

  @Test("without the key, with another one, or unsealed, nothing is read")
  func wrongKey() throws {
    let batch = try KnownBatch.make()
    let (key, other) = (GroupKey(), GroupKey())
    let bytes = try batch.encoded(key: key)
    #expect(sealedRefusal(bytes, keys: [])?.code == .unknownKey)
    #expect(sealedRefusal(bytes, keys: [other])?.code == .unknownKey)
    #expect(sealedRefusal(try batch.encoded(), keys: [key])?.code == .notSealed)
    #expect(sealedRefusal(bytes, keys: [other, key]) == nil)
    // A batch that names a key with which it isn't sealed.
    var frames = try Frames(bytes)
    frames.payloads[0].payload.replace(key.id, with: other.id)
    #expect(sealedRefusal(frames.bytes, keys: [other])?.code == .notAuthentic)
    var reader = BatchReader(keys: [other])
    reader.append(bytes)
    #expect(throws: BatchError.self) { try reader.next() }
    #expect(reader.header?.keyID == key.id)
  }

  @Test("with a new key beside the old one, both kinds of batches are read")
  func rotation() throws {
    let batch = try KnownBatch.make()
    let (old, new) = (GroupKey(), GroupKey())
    for key in [old, new] {
      let bytes = try batch.encoded(key: key)
      #expect(try ChangeBatch(decoding: bytes, keys: [new, old]) == batch)
    }
    #expect(sealedRefusal(try batch.encoded(key: new), keys: [old])?.code == .unknownKey)
  }

  @Test("a sealed batch with any byte changed or cut anywhere is refused")
  func everyFlip() throws {
    let key = GroupKey()
    let bytes = try KnownBatch.make().encoded(key: key)
    for index in bytes.indices {
      for mask in [1, 0x10, 0x80, 0xff] as [UInt8] {
        var changed = bytes
        changed[index] ^= mask
        #expect(sealedRefusal(changed, keys: [key]) != nil, "byte \(index) xor \(mask)")
      }
      #expect(sealedRefusal(bytes.prefix(index), keys: [key]) != nil, "\(index) bytes")
    }
  }

  @Test("someone who makes the checksums right again still can't change, move, drop, repeat or add a frame")
  func forged() throws {
    let key = GroupKey()
    let frames = try Frames(sealed(rows: 3, seed: 8, key))
    let other = try Frames(sealed(rows: 3, seed: 9, key))
    #expect(sealedRefusal(frames.bytes, keys: [key]) == nil)
    func expectForged(_ what: String, _ change: (inout [Frames.Payload]) -> Void) {
      var changed = frames
      change(&changed.payloads)
      let error = sealedRefusal(changed.bytes, keys: [key])
      #expect(error?.code == .notAuthentic || error?.code == .damaged, "\(what): \(String(describing: error))")
    }
    for index in frames.payloads.indices.dropFirst() {
      for byte in frames.payloads[index].payload.indices {
        expectForged("byte \(byte) of frame \(index)") { $0[index].payload[byte] ^= 1 }
      }
      expectForged("frame \(index) of another batch") { $0[index] = other.payloads[index] }
      expectForged("frame \(index) dropped") { $0.remove(at: index) }
      expectForged("frame \(index) twice") { $0.insert($0[index], at: index) }
      expectForged("frame \(index) empty") { $0[index].payload = Data() }
      for place in frames.payloads.indices.dropFirst() where place != index {
        expectForged("frames \(index) and \(place)") { $0.swapAt(index, place) }
        expectForged("frame \(index) in the place of \(place)") { $0[place].payload = $0[index].payload }
      }
    }
    // Without the end, it isn't whole; with the end earlier, it doesn't open.
    expectForged("the end dropped") { $0.removeLast() }
    expectForged("the end earlier") { $0.remove(at: 3) }
    expectForged("rows as the end") {
      $0.removeLast()
      $0[$0.count - 1].kind = 4
    }
    expectForged("the header of another batch") { $0[0] = other.payloads[0] }
  }

  @Test("someone who makes the checksums right again can't change a byte of the header")
  func forgedHeader() throws {
    let key = GroupKey()
    let frames = try Frames(sealed(rows: 1, seed: 10, key))
    for byte in frames.payloads[0].payload.indices {
      for mask in [1, 2, 0x80] as [UInt8] {
        var changed = frames
        changed.payloads[0].payload[byte] ^= mask
        #expect(sealedRefusal(changed.bytes, keys: [key]) != nil, "byte \(byte)")
      }
    }
    // A field that readers ignore is authenticated too.
    var changed = frames
    var field = HandMessage()
    field.number(99, 1)
    changed.payloads[0].payload += field.bytes
    #expect(sealedRefusal(changed.bytes, keys: [key])?.code == .notAuthentic)
    #expect(refusal(of: changed.bytes)?.code == .unknownKey)
  }

  @Test("the bytes of a known sealed batch stay as they are")
  func knownAnswer() throws {
    // Written down when the format was made, and read by another implementation. A change is a new version.
    let expected = [
      "894c53590d0a1a0a010000000000006064146c4b08489671080112100a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a1a100b0b0b0b0b0b",
      "0b0b0b0b0b0b0b0b0b0b2029282c30014210c32859ff81ef9c83b84b7da2be46fcc14a206465666768696a6b6c6d6e6f70717273",
      "7475767778797a7b7c7d7e7f80818283020000000000003bc43471dd4b29c354a554dc9a8d46ef6326535f7ce72b76c2456bd632",
      "51c0f83270996e2560fe9263d1b4e4ffad4cb95ce18f399eaa77921231c39baa623dbbbe235a4303000000000000d6094663b6d6",
      "0342699e97b1df7cf4cb8dfdc0859dca98f942c309158ff0cead7d41f6081dbc66701c6d6f127e5da7e1cebe2d05e384236c0894",
      "0c1a2901a92415ddd5d43d6f95b39b9e78df9bd267d96b6048c47a6cf599124dedcda175f8ba90f91c038c26f1cd56f01c779ad8",
      "a978f5ab16234ed06716d25349ff462f2944789f44b1dd4871657346224340983527f6798ad37075fc26226ab930b728d343c44c",
      "e8f6a1f0329ed5795d26c61344297d76eeb972776e32892b240a40883fa48b3cf4fa3739d8123a8d01c95236dfaa0f68f66bf6b4",
      "d373b18bf05c6f22110400000000000013f2c8a493cc07f2827b500c8b31524947d6d6dc28dc038003785be9",
    ].joined()
    let key = try #require(GroupKey(bytes: Data(0..<32)))
    let batch = try KnownBatch.make()
    let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: batch.recipient, isLast: batch.isLast)
    var writer = try BatchWriter(
      header, BatchOpening(modelsDigest: batch.modelsDigest, knowledge: batch.knowledge),
      sealing: .init(key: key, salt: Data(100..<132)), compression: .off)
    for row in batch.rows { #expect(try writer.append(row) == nil) }
    let bytes = try writer.finish()
    #expect(bytes.map { String(format: "%02x", $0) }.joined() == expected)
    #expect(try ChangeBatch(decoding: bytes, keys: [key]) == batch)
  }

  /// Sealed rows, each in a frame of its own.
  private func sealed(rows: Int, seed: UInt64, _ key: GroupKey) throws -> Data {
    var random = RandomBatch(seed: seed)
    let batch = random.batch(rowCount: rows)
    let header = BatchHeader(since: batch.since, upTo: batch.upTo, recipient: batch.recipient, isLast: batch.isLast)
    var writer = try BatchWriter(
      header, BatchOpening(modelsDigest: Data(), knowledge: []), sealing: .init(key: key), compression: .off,
      frameSize: 1)
    var bytes = Data()
    for row in batch.rows { bytes += try writer.append(row) ?? Data() }
    return bytes + (try writer.finish())
  }

  private func checking(_ bytes: Data, _ verifier: BatchVerifier) throws -> BatchVerifier {
    var verifier = verifier
    try verifier.append(bytes)
    return verifier
  }

  private func sealedRefusal(_ bytes: Data, keys: [GroupKey]) -> BatchError? {
    do {
      _ = try ChangeBatch(decoding: bytes, keys: keys)
      return nil
    } catch {
      return error as? BatchError
    }
  }
}

@Suite("Keys of groups")
struct GroupKeyTests {
  @Test("a key is the same after its way through text, however it is typed")
  func text() throws {
    for _ in 0..<100 {
      let key = GroupKey()
      let text = key.text
      #expect(text.count == 14 * 4 + 13)
      #expect(try GroupKey(text: text) == key)
      let typed = text.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
      #expect(try GroupKey(text: " \(typed)\n") == key)
    }
  }

  @Test("a text with a wrong, missing or additional letter isn't a key")
  func wrongText() throws {
    let key = try #require(GroupKey(bytes: Data(0..<32)))
    let text = Array(key.text)
    func isRefused(_ text: [Character]) -> Bool {
      do {
        _ = try GroupKey(text: String(text))
        return false
      } catch {
        return (error as? BatchError)?.code == .invalidKey
      }
    }
    for index in text.indices where text[index] != "-" {
      for letter in "0123456789ABCDEFGHJKMNPQRSTVWXYZU" where letter != text[index] {
        var changed = text
        changed[index] = letter
        #expect(isRefused(changed), "letter \(index)")
      }
      var shorter = text
      shorter.remove(at: index)
      #expect(isRefused(shorter))
    }
    #expect(isRefused(text + ["0"]))
    #expect(isRefused([]))
    #expect(isRefused(Array("ß".uppercased())))
  }

  @Test("neither its description nor dump shows a key")
  func description() throws {
    let key = try #require(GroupKey(bytes: Data(0..<32)))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.contains(key.text))
      #expect(!text.contains("0001020304"))
      #expect(!text.contains("32 bytes"))
    }
    #expect(key.text == "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFZ-BMGA")
    #expect(GroupKey(bytes: Data(0..<31)) == nil)
    #expect(GroupKey(bytes: Data(0..<33)) == nil)
  }

  @Test("a hidden name is the same for all who have the key, and differs by key and purpose")
  func hiddenNames() throws {
    let key = try #require(GroupKey(bytes: Data(0..<32)))
    let name = Data("photo".utf8)
    let hidden = key.hiddenName(name, purpose: "attachment")
    #expect(
      hidden.map { String(format: "%02x", $0) }.joined()
        == "df3861e6ca69712d86f370510793cddb62130a125e8d35f25e4be7c72315550b")
    #expect(try GroupKey(text: key.text).hiddenName(name, purpose: "attachment") == hidden)
    #expect(GroupKey().hiddenName(name, purpose: "attachment") != hidden)
    #expect(key.hiddenName(name, purpose: "model") != hidden)
    #expect(key.hiddenName(Data("hoto".utf8), purpose: "attachmentp") != hidden)
  }
}

/// The frames of a batch, to be put together again with the right checksums.
struct Frames {
  struct Payload {
    var kind: UInt8
    var payload: Data
  }

  var payloads: [Payload] = []

  init(_ bytes: Data) throws {
    var rest = Data(bytes.dropFirst(8))
    while !rest.isEmpty {
      let length = Int(rest.bigEndian(UInt32.self, at: 4))
      payloads.append(Payload(kind: try #require(rest.first), payload: Data(rest.dropFirst(16).prefix(length))))
      rest = Data(rest.dropFirst(16 + length))
    }
  }

  var bytes: Data {
    var batch = HandBatch()
    for frame in payloads { batch.frame(frame.kind, frame.payload) }
    return batch.bytes
  }
}
