import ArgumentParser
import Foundation

/// Measures documents beside a table with a column of JSON that is used by hand.
struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Documents beside raw C with a column of JSON: inserts, reads, keys by conditions.")

  @Option(help: "How many documents there are.")
  var documents = 20_000

  @Option(help: "How many rounds are measured after the warm-up; the median counts.")
  var rounds = 15

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-documents"

  @OptionGroup var ratios: RatioOptions

  func run() throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let larder = try DocumentsLarder(path: folder.appending(path: "larder.db").path)
    let rawC = try DocumentsRawC(path: folder.appending(path: "raw.db").path)

    let people = DocumentPerson.people(documents)
    let encoder = JSONEncoder()
    let texts = try people.map { (key: $0.key, value: String(decoding: try encoder.encode($0.value), as: UTF8.self)) }
    let keys = people.map(\.key).shuffled()
    let questions = (0..<100).map { (age: $0 % 99 + 1, isMember: $0.isMultiple(of: 3)) }

    var comparison = Comparison(rounds: rounds)
    comparison.begin()
    try comparison.compare(
      "document-insert", "insert \(documents) values", goal: 1.5,
      before: {
        try larder.clear(); try rawC.clear()
      }
    ) {
      try larder.insert(people)
    } with: {
      try rawC.insert(people)
    }
    try comparison.compare("document-read", "read \(documents) values", goal: 1.3) {
      try larder.fetchAll()
    } with: {
      try rawC.fetchAll()
    }
    try comparison.compare(
      "document-insert-json", "insert \(documents) texts of JSON", goal: 1.5,
      before: {
        try larder.clear(); try rawC.clear()
      }
    ) {
      try larder.insert(texts: texts)
    } with: {
      try rawC.insert(texts: texts)
    }
    try comparison.compare("document-find-json", "read \(documents) texts of JSON by key", goal: 1.3) {
      try larder.texts(keys)
    } with: {
      try rawC.texts(keys)
    }
    let few = questions.prefix(10)
    try comparison.compare("document-scan", "keys by \(few.count) conditions without an index", goal: nil) {
      try few.map { try larder.keys(age: $0.age, isMember: $0.isMember).sorted() }
    } with: {
      try few.map { try rawC.keys(age: $0.age, isMember: $0.isMember).sorted() }
    }
    try larder.index()
    try rawC.index()
    try comparison.compare("document-indexed-query", "keys by \(questions.count) conditions with an index", goal: nil) {
      try questions.map { try larder.keys(age: $0.age, isMember: $0.isMember).sorted() }
    } with: {
      try questions.map { try rawC.keys(age: $0.age, isMember: $0.isMember).sorted() }
    }
    try ratios.compare(comparison.ratios)
  }
}
