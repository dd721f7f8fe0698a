import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a file really is, however its path is written.
enum RealPath {
  /// The largest number of links to follow, as in Linux.
  private static let mostLinks = 40

  /// Returns the absolute path of a file without symbolic links.
  ///
  /// The file need not exist: a link to a file that is still to be created leads to the place where it will be. If the
  /// folder doesn't exist, the path is only made absolute.
  static func of(_ path: String) -> String {
    var path = path
    for _ in 0..<mostLinks {
      if let real = resolved(path) { return real }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
    }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    // The system follows a link before it goes up by "..", so that only it can resolve the folder.
    guard !["", ".", ".."].contains(name), let real = resolved(folder(of: path)) else {
      return URL(fileURLWithPath: path).path
    }
    return (real == "/" ? "" : real) + "/" + name
  }

  /// Returns the text before the last slash.
  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
