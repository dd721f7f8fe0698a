import Foundation
import LarderArchive

/// Prints what listing packages costs beside `readdir` and one `stat` for each.
func compareListings(packages count: Int) throws {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "larder-archive-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
  let folder = try PackageFolder(at: url, extension: "scarycreature")
  defer { try? FileManager.default.removeItem(at: url) }
  for number in 1...count { mkdir(url.appending(path: "\(number).scarycreature").path, 0o755) }
  let times = try best(
    of: 15,
    [
      { guard try folder.packages().count == count else { fatalError("packages are missing") } },
      { guard namesWithStatus(url.path) == count else { fatalError("folders are missing") } },
    ])
  print(
    "listing \(count) packages: \(milliseconds(times[0])) ms; readdir and a stat each: \(milliseconds(times[1])) ms; \(rounded(times[0] / times[1]))"
  )
}

/// How many folders there are, found with `readdir` and `stat`.
private func namesWithStatus(_ path: String) -> Int {
  guard let directory = opendir(path) else { return 0 }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
    }
  }
  var status = stat()
  return names.count { name in
    !name.hasPrefix(".") && stat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
