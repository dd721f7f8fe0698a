import Foundation
import LarderArchiveMutation

/// A creature as NSKeyedArchiver takes it.
final class KeyedCreature: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let creature: Creature

  init(_ creature: Creature) { self.creature = creature }

  func encode(with coder: NSCoder) {
    coder.encode(creature.id, forKey: "id")
    coder.encode(creature.title as NSString, forKey: "title")
    coder.encode(creature.rating, forKey: "rating")
    coder.encode(creature.isScary, forKey: "isScary")
    coder.encode(creature.born.map { $0 as NSDate }, forKey: "born")
    coder.encode(creature.tags.map { $0 as NSString } as NSArray, forKey: "tags")
    coder.encode(
      Dictionary(uniqueKeysWithValues: creature.places.map { ($0 as NSString, NSNumber(value: $1)) }) as NSDictionary,
      forKey: "places")
    coder.encode(creature.picture as NSData, forKey: "picture")
  }

  init?(coder: NSCoder) {
    let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [NSString] ?? []
    let places =
      coder.decodeObject(of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: "places")
      as? [NSString: NSNumber] ?? [:]
    creature = Creature(
      id: coder.decodeInteger(forKey: "id"),
      title: coder.decodeObject(of: NSString.self, forKey: "title").map { String($0) } ?? "",
      rating: coder.decodeDouble(forKey: "rating"), isScary: coder.decodeBool(forKey: "isScary"),
      born: coder.decodeObject(of: NSDate.self, forKey: "born").map { $0 as Date }, tags: tags.map { String($0) },
      places: Dictionary(uniqueKeysWithValues: places.map { (String($0), $1.intValue) }),
      picture: coder.decodeObject(of: NSData.self, forKey: "picture").map { $0 as Data } ?? Data())
  }
}
