import Foundation

/// A class of an older app.
class OldCreature: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  let title: String
  let rating: Double
  let isScary: Bool
  let legs: Int
  let born: Date
  let picture: Data
  let tags: [String]
  let page: NSURL?
  let identifier: NSUUID
  var friend: OldCreature?

  init(_ number: Int) {
    title = "Creature \(number)"
    rating = Double(number) / 2
    isScary = number.isMultiple(of: 2)
    legs = number
    born = Date(timeIntervalSinceReferenceDate: Double(number) * 10)
    picture = Data(repeating: UInt8(truncatingIfNeeded: number), count: 40)
    tags = ["old", "tag\(number)"]
    page = NSURL(string: "https://example.org/creatures/\(number)")
    identifier = NSUUID(uuidString: "00000000-0000-4000-8000-00000000000\(number % 10)") ?? NSUUID()
  }

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
    coder.encode(isScary, forKey: "Scary")
    coder.encode(legs, forKey: "Legs")
    coder.encode(born as NSDate, forKey: "Born")
    coder.encode(picture as NSData, forKey: "Picture")
    coder.encode(tags.map { $0 as NSString } as NSArray, forKey: "Tags")
    coder.encode(page, forKey: "Page")
    coder.encode(identifier, forKey: "Identifier")
    coder.encode(friend, forKey: "Friend")
  }
}

/// What Foundation's own archiver makes of them.
enum KeyedFixtures {
  static func archive(
    _ root: Any, isSecure: Bool, format: PropertyListSerialization.PropertyListFormat = .binary
  ) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: isSecure)
    archiver.outputFormat = format
    archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  static func creatures(isSecure: Bool, format: PropertyListSerialization.PropertyListFormat = .binary) throws -> Data {
    let list = (1...3).map(OldCreature.init)
    list[0].friend = list[1]
    return archive(list as NSArray, isSecure: isSecure, format: format)
  }
}
