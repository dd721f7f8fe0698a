import ArgumentParser
import Foundation

/// A format of files with rows.
enum DataFormat: String, ExpressibleByArgument, CaseIterable {
  case csv, json, jsonl

  /// Returns the format that a file's name ends with.
  init?(ofFile path: String) {
    let name = URL(filePath: path).pathExtension.lowercased()
    self.init(rawValue: name == "ndjson" ? "jsonl" : name)
  }
}

/// A format in which a query is shown.
enum ShownFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, json, jsonl

  var data: DataFormat? { DataFormat(rawValue: rawValue) }
}
