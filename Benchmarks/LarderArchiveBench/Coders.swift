import Foundation
import LarderArchive
import LarderArchiveMutation

/// A way to make data of creatures, and creatures of data.
struct Coder {
  let name: String
  let encode: ([Creature]) throws -> Data
  let decode: (Data) throws -> [Creature]

  static var archive: Coder {
    Coder(
      name: "Archive", encode: { try Archive.encode($0) }, decode: { try Archive.decode([Creature].self, from: $0) })
  }

  static var propertyList: Coder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Coder(
      name: "PropertyListEncoder", encode: { try encoder.encode($0) },
      decode: { try PropertyListDecoder().decode([Creature].self, from: $0) })
  }

  static var json: Coder {
    Coder(
      name: "JSONEncoder", encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode([Creature].self, from: $0) })
  }

  static var keyed: Coder {
    Coder(
      name: "NSKeyedArchiver",
      encode: {
        try NSKeyedArchiver.archivedData(
          withRootObject: $0.map(KeyedCreature.init) as NSArray, requiringSecureCoding: true)
      },
      decode: {
        let list =
          try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, KeyedCreature.self], from: $0)
          as? [KeyedCreature]
        return list?.map(\.creature) ?? []
      })
  }
}

/// Prints a line for each coder; ends the program where one does not give back what it got.
func compareCoders(_ creatures: [Creature], with coders: [Coder], rounds: Int) throws {
  let data = try coders.map { try $0.encode(creatures) }
  for (coder, data) in zip(coders, data) {
    guard try coder.decode(data) == creatures else { fatalError("\(coder.name) does not give back what it got") }
  }
  let encodes = try best(of: rounds, coders.map { coder in { _ = try coder.encode(creatures) } })
  let decodes = try best(of: rounds, zip(coders, data).map { coder, data in { _ = try coder.decode(data) } })
  guard let base = coders.firstIndex(where: { $0.name == "PropertyListEncoder" }) else { return }
  for index in coders.indices {
    let ratios = [
      encodes[index] / encodes[base], decodes[index] / decodes[base],
      Double(data[index].count) / Double(data[base].count),
    ].map(rounded)
    print(
      "  \(coders[index].name): \(milliseconds(encodes[index])), \(milliseconds(decodes[index])), \(data[index].count); \(ratios)"
    )
  }
}
