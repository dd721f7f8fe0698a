import Foundation
import LarderArchive
import LarderArchiveMutation

/// Times archives beside Foundation's coders, and listing packages beside `readdir` with `stat`; each figure is the
/// best of some runs.

let creatures = (0..<10_000).map(Creature.sample)
print(
  "10,000 creatures: milliseconds to encode and to decode, and bytes; in brackets, times those of PropertyListEncoder (binary)"
)
try compareCoders(creatures, with: [.archive, .propertyList, .json], rounds: 7)
print("")
print(
  "NSKeyedArchiver looks each object up among those that are equal to it, and all arrays of one length have one hash: its time grows with the"
)
print("square of their number, and 10,000 creatures would take it many minutes. So it gets few, and once:")
for count in [250, 500] {
  print("\(count) creatures")
  try compareCoders(Array(creatures.prefix(count)), with: [.archive, .propertyList, .keyed], rounds: 1)
}
print("")
try compareListings(packages: 10_000)
