import Foundation

extension String {
  /// The path without symbolic links. What belongs to a store's file lies beside the file, not beside a link to it.
  var realPath: String { URL(filePath: self).resolvingSymlinksInPath().path }
}
