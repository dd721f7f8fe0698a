import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization

/// The second process of tests: adds documents, or ends itself in the middle of a change.
///
/// `add FOLDER COUNT` · `write FILE STEP` · `edit FOLDER STEP` · `replace FOLDER STEP` · `new FOLDER STEP` · `delete FOLDER STEP`

let arguments = CommandLine.arguments
guard arguments.count == 4, let number = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: LarderArchiveTestProcess command path number\n".utf8))
  exit(2)
}
let url = URL(filePath: arguments[2])

/// Ends the process, as a crash would, before the call of this number.
func crashing(before number: Int) -> FileSystem {
  let count = Mutex(0)
  return FileSystem(chunk: 64) { step, _ in
    guard step != "read" else { return }
    let now = count.withLock { count in
      count += 1
      return count
    }
    if now == number { kill(getpid(), SIGKILL) }
  }
}

func folder() throws -> DocumentFolder { try DocumentFolder(at: url, extension: "scarycreature", fileSystem: crashing(before: number)) }

func fill(_ parts: inout DocumentParts, _ number: Int) throws {
  try parts.setValue(Creature.sample(number), for: "data")
  try parts.setData(Data("thumbnail \(number)".utf8), for: "thumbnail.png")
}

switch arguments[1] {
case "add":
  let folder = try DocumentFolder(at: url, extension: "scarycreature")
  for index in 0..<number { _ = try folder.add { try $0.setData(Data("\(getpid()) \(index)".utf8), for: "data") } }
case "write": try Archive.write(try Archive.encode(Creature.sample(2)), to: url, through: crashing(before: number))
case "edit": try folder().document(named: "1").edit { try $0.setValue(Creature.sample(2), for: "data") }
case "replace": try folder().document(named: "1").replaceAll { try fill(&$0, 2) }
case "new": _ = try folder().add { try fill(&$0, 2) }
case "delete":
  let folder = try folder()
  try folder.delete(try folder.document(named: "1"))
default: exit(2)
}
