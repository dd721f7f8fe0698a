import Foundation
import LarderArchive
import LarderArchiveMutation

/// Times archives beside Foundation's coders, and listing documents beside `readdir` with `stat`; each figure is the best of some runs.

struct Row {
  var name: String
  var encode: Duration
  var decode: Duration
  var size: Int
}

/// The shortest time of several rounds in which every contender has a turn, so that a disturbed machine disturbs all alike.
func best(of rounds: Int, _ bodies: [() throws -> Void]) throws -> [Duration] {
  var times = bodies.map { _ in Duration.seconds(3600) }
  for _ in 0..<rounds {
    for (index, body) in bodies.enumerated() { times[index] = min(times[index], try ContinuousClock().measure { try body() }) }
  }
  return times
}

func milliseconds(_ duration: Duration) -> Double { (duration / .milliseconds(1) * 100).rounded() / 100 }

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
    coder.encode(Dictionary(uniqueKeysWithValues: creature.places.map { ($0 as NSString, NSNumber(value: $1)) }) as NSDictionary, forKey: "places")
    coder.encode(creature.picture as NSData, forKey: "picture")
  }

  init?(coder: NSCoder) {
    let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [NSString] ?? []
    let places = coder.decodeObject(of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: "places") as? [NSString: NSNumber] ?? [:]
    creature = Creature(
      id: coder.decodeInteger(forKey: "id"), title: coder.decodeObject(of: NSString.self, forKey: "title").map { String($0) } ?? "",
      rating: coder.decodeDouble(forKey: "rating"), isScary: coder.decodeBool(forKey: "isScary"),
      born: coder.decodeObject(of: NSDate.self, forKey: "born").map { $0 as Date }, tags: tags.map { String($0) },
      places: Dictionary(uniqueKeysWithValues: places.map { (String($0), $1.intValue) }),
      picture: coder.decodeObject(of: NSData.self, forKey: "picture").map { $0 as Data } ?? Data())
  }
}

let creatures = (0..<10_000).map(Creature.sample)
let keyedCreatures = creatures.map(KeyedCreature.init) as NSArray
let propertyListEncoder = PropertyListEncoder()
propertyListEncoder.outputFormat = .binary

let archive = try Archive.encode(creatures)
let propertyList = try propertyListEncoder.encode(creatures)
let json = try JSONEncoder().encode(creatures)
let keyed = try NSKeyedArchiver.archivedData(withRootObject: keyedCreatures, requiringSecureCoding: true)

let names = ["Archive", "PropertyListEncoder", "JSONEncoder", "NSKeyedArchiver"]
let encodes = try best(
  of: 7,
  [
    { _ = try Archive.encode(creatures) },
    { _ = try propertyListEncoder.encode(creatures) },
    { _ = try JSONEncoder().encode(creatures) },
    { _ = try NSKeyedArchiver.archivedData(withRootObject: keyedCreatures, requiringSecureCoding: true) },
  ])
let decodes = try best(
  of: 7,
  [
    { _ = try Archive.decode([Creature].self, from: archive) },
    { _ = try PropertyListDecoder().decode([Creature].self, from: propertyList) },
    { _ = try JSONDecoder().decode([Creature].self, from: json) },
    { _ = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, KeyedCreature.self], from: keyed) },
  ])
print("10,000 creatures: encode ms, decode ms, bytes; times that of PropertyListEncoder")
for (index, size) in [archive.count, propertyList.count, json.count, keyed.count].enumerated() {
  let ratios = [encodes[index] / encodes[1], decodes[index] / decodes[1], Double(size) / Double(propertyList.count)].map {
    ($0 * 100).rounded() / 100
  }
  print("\(names[index]): \(milliseconds(encodes[index])), \(milliseconds(decodes[index])), \(size); \(ratios)")
}

let url = FileManager.default.temporaryDirectory.appending(path: "larder-archive-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
let folder = try DocumentFolder(at: url, extension: "scarycreature")
for number in 1...10_000 { mkdir(url.appending(path: "\(number).scarycreature").path, 0o755) }
let listings = try best(
  of: 15,
  [
    { _ = try folder.documents() },
    {
      guard let directory = opendir(url.path) else { return }
      defer { closedir(directory) }
      var names: [String] = []
      while let entry = readdir(directory) {
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
        }
      }
      var status = stat()
      for name in names { _ = stat(url.path + "/" + name, &status) }
    },
  ])
try FileManager.default.removeItem(at: url)
print("listing 10,000 documents: \(milliseconds(listings[0])) ms; readdir and a stat each: \(milliseconds(listings[1])) ms")
