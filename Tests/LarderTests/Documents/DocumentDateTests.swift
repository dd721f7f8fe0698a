import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Suite("Documents: dates", .timeLimit(.minutes(20)))
struct DocumentDateTests {
  private static let seed = TestSeed.value

  /// Dates of all times, many of them within one millisecond of another.
  private func makeDates(_ generator: inout SplitMix64, _ count: Int) -> [Date] {
    (0..<count).flatMap { _ in
      let seconds = Double.random(in: -6.3e10...2.5e11, using: &generator)
      let near = Double.random(in: 5e8...8e8, using: &generator).rounded()
      return [
        Date(timeIntervalSinceReferenceDate: seconds), Date(timeIntervalSinceReferenceDate: near),
        Date(timeIntervalSinceReferenceDate: near + Double(Int.random(in: 0..<1000, using: &generator)) / 1e6),
        Date(timeIntervalSinceReferenceDate: near + Double(Int.random(in: 0..<1000, using: &generator)) / 1e3),
      ]
    }
  }

  @Test("B1: the texts of dates have one width, and their order is that of time, to the microsecond and over all years")
  func order() throws {
    var generator = SplitMix64(seed: Self.seed)
    let dates = makeDates(&generator, 5000).sorted()
    let texts = try dates.map { try #require(try DocumentValue($0).text) }
    #expect(texts.allSatisfy { $0.utf8.count == 30 })
    #expect(
      zip(texts, texts.dropFirst()).allSatisfy { !($1.utf8.lexicographicallyPrecedes($0.utf8)) }, "seed \(Self.seed)")
    for (date, text) in zip(dates, texts) {
      let seconds = date.timeIntervalSinceReferenceDate
      let read = DocumentValue.text(text).date?.timeIntervalSinceReferenceDate ?? .nan
      // Within three months of 2001 a double is finer than a nanosecond.
      let isKept = read == seconds || (abs(seconds) < 0x1p23 && abs(read - seconds) < 1e-9)
      #expect(isKept, "seed \(Self.seed): \(text) is \(seconds) and was read as \(read)")
    }
    #expect(
      try DocumentValue(Date(timeIntervalSinceReferenceDate: 430_183_422.434)).text == "2014-08-19T23:23:42.434000000Z")
    for number in 0..<20_000 {
      let whole = Date(timeIntervalSinceReferenceDate: 7e8 + Double(number))
      let later = whole + 0.000_5
      #expect(try DocumentValue(whole).text ?? "" < DocumentValue(later).text ?? "")
    }
  }

  @Test("B1: documents are sorted by their dates as Swift sorts the dates, and come back with the same ones")
  func sorting() async throws {
    struct Event: Codable { var at: Date }
    var generator = SplitMix64(seed: Self.seed &+ 1)
    let events = try Store(configuration: Store.Configuration()).documents("events", of: Event.self)
    let dates = makeDates(&generator, 250)
    try await events.save(keyed: dates.enumerated().map { (key: "\($0)", value: Event(at: $1)) })
    #expect(try await events.fetch(sort: "at").map(\.value.at) == dates.sorted(), "seed \(Self.seed)")
    let middle = dates[7]
    #expect(try await events.count { $0.at < middle } == dates.count { $0 < middle }, "seed \(Self.seed)")
    #expect(try await events.count { $0.at >= middle } == dates.count { $0 >= middle }, "seed \(Self.seed)")
  }

  @Test(
    "B1: dates are read in every form of ISO 8601",
    arguments: [
      ("2009-01-03T18:15:05Z", 0.0), ("2009-01-03T18:15:05.25Z", 0.25), ("2009-01-03T18:15:05,25Z", 0.25),
      ("20090103T181505Z", 0),
      ("2009-01-03T20:15:05+02:00", 0), ("2009-01-03T20:15:05+0200", 0), ("2009-01-03T20:15:05+02", 0),
      ("2009-01-03T12:45:05-05:30", 0),
      ("2009-W01-6T18:15:05Z", 0), ("2009W016T181505Z", 0), ("2009-003T18:15:05Z", 0), ("2009003T181505Z", 0),
      ("+002009-01-03T18:15:05Z", 0),
      ("2009-01-03 18:15:05z", 0), ("2009-01-03t18:15:05", 0), ("2009-01-03T18:15:05.000000000000Z", 0),
      ("2009-01-03T18:15Z", -5),
      ("2009-01-03T18.25Z", -5), ("2009-01-03T18:15,5Z", 25), ("2009-01-03T18Z", -905), ("2009-01-03", -65_705),
      ("2009-01-02T24:00Z", -65_705),
      ("20090103", -65_705), ("2009-01", -238_505), ("2009", -238_505), ("2009-W01", -497_705),
      ("2008-12-31T23:59:60Z", -238_505),
      ("2009-01-01T00:59:60+01:00", -238_505),
    ])
  func forms(_ text: String, _ offset: Double) throws {
    // The time of Bitcoin's first block.
    let date = Date(timeIntervalSince1970: 1_231_006_505)
    #expect(DocumentValue.text(text).date == date + offset)
  }

  @Test("B1: years before 0 and after 9999 are read with their sign; to store such a date is an error with the remedy")
  func years() async throws {
    #expect(
      DocumentValue.text("-0001-12-31T23:59:59Z").date
        == DocumentValue.text("0000-01-01T00:00:00Z").date?.addingTimeInterval(-1))
    #expect(
      DocumentValue.text("+10000-01-01T00:00:00Z").date
        == DocumentValue.text("9999-12-31T23:59:59Z").date?.addingTimeInterval(1))
    let last = try #require(DocumentValue.text("9999-12-31T23:59:59.999Z").date)
    let first = try #require(DocumentValue.text("0000-01-01T00:00:00Z").date)
    #expect(try DocumentValue(first).text == "0000-01-01T00:00:00.000000000Z")
    struct Event: Codable { var at: Date }
    let events = try Store(configuration: Store.Configuration()).documents("events", of: Event.self)
    for date in [
      last + 1, first - 0.001, Date(timeIntervalSinceReferenceDate: .nan),
      Date(timeIntervalSinceReferenceDate: .infinity),
    ] {
      let error = await #expect(throws: StoreError.self) { try await events.save("a", Event(at: date)) }
      #expect(error?.code == .invalidValue && error?.model == "events" && error?.property == "at")
      #expect(throws: StoreError.self) { try DocumentValue(date) }
    }
    try await events.save("last", Event(at: last))
    try await events.save("first", Event(at: first))
    #expect(try await events.keys { $0.at < last + 1e9 }.sorted() == ["first", "last"])
    #expect(try await events.keys { $0.at > first - 1e9 }.sorted() == ["first", "last"])
    #expect(try await events.keys { $0.at > Date.distantFuture } == ["last"])
    let error = await #expect(throws: StoreError.self) {
      try await events.keys { $0.at < Date(timeIntervalSinceReferenceDate: .nan) }
    }
    #expect(error?.property == "at" && error?.model == "events")
  }

  @Test(
    "B1: what is no date is none",
    arguments: [
      "", "x", "2009-02-29", "2009-13-01", "2009-00-01", "2009-01-00", "2009-01-03T25:00", "2009-01-03T24:01",
      "2009-01-03T18:60Z", "2009-1-3",
      "2009-01-03T18:15:60Z", "2009-01-03T18:15:05+24:00", "2009-01-03T18:15:05Zx", "2009-01-03T", "2009-W54",
      "2009-W00", "2009-W01-8", "2009-366",
      "2009-000", "200", "20091", "2009-01-03T18:15:05.Z", "2009-01-03T18:15:05+", "2009-01-03X18:15", "12-01-03",
      "2009-", "+209", "2009-01-",
    ])
  func noDates(_ text: String) {
    #expect(DocumentValue.text(text).date == nil)
  }

  @Test("B5: a condition with a date compares by time, whatever form the documents' texts have, also by an index")
  func conditions() async throws {
    let store = try Store(configuration: Store.Configuration())
    let events = store.documents("events")
    let noon = try #require(DocumentValue.text("2026-07-04T12:00:00Z").date)
    try await events.save(json: [
      (key: "before", value: #"{"at": "2026-07-04T13:59:59.9+02:00"}"#),
      (key: "zone", value: #"{"at": "2026-07-05T01:00:00+13:00"}"#),
      (key: "digits", value: #"{"at": "2026-07-04T12:00:00.000Z"}"#),
      (key: "after", value: #"{"at": "2026-07-04T10:00:01.5-02:00"}"#),
      (key: "day", value: #"{"at": "2026-07-05"}"#), (key: "night", value: #"{"at": "2026-07-03T24:00"}"#),
      (key: "number", value: #"{"at": 7}"#),
      (key: "word", value: #"{"at": "2026-07-04T12 o'clock"}"#),
      (key: "array", value: #"{"at": ["2026-07-05T01:00:00+13:00"]}"#),
      (key: "null", value: #"{"at": null}"#),
    ])
    try await events.save("stored", ["at": DocumentValue(noon)])
    for isIndexed in [false, true] {
      if isIndexed { try await events.index(on: "at") }
      #expect(try await events.keys { $0.at == noon }.sorted() == ["digits", "stored", "zone"])
      #expect(try await events.keys { $0.at < noon }.sorted() == ["before", "night"])
      #expect(try await events.keys { $0.at <= noon }.sorted() == ["before", "digits", "night", "stored", "zone"])
      #expect(try await events.keys { $0.at > noon }.sorted() == ["after", "day"])
      #expect(try await events.keys(where: [Condition("at", .greaterThanOrEqual, noon)]).count == 5)
      #expect(
        try await events.keys { $0.at.isIn([noon, noon + 1.5]) }.sorted() == ["after", "digits", "stored", "zone"])
      #expect(try await events.keys(where: [Condition("at", .inList, [noon + 1.5])]) == ["after"])
      #expect(try await events.keys { $0.at.contains(noon) } == ["array"])
      #expect(try await events.count { $0.at != noon } == 8)
    }
    var writer = SQLWriter()
    let predicate = Condition(all: [
      Condition([Condition("at", .greaterThan, noon)]),
      Condition([Condition("at", .lessThan, noon + 60)]),
    ])
    try DocumentQuery(predicate).select("key", from: "main.\"events\"", &writer)
    let arguments = writer.arguments.map { if case .value(let value) = $0 { value } else { Value.null } }
    let plan = try await store.sql(SQL(raw: "explain query plan " + writer.sql, arguments: arguments))
    #expect(plan.first?["detail"]?.text?.contains("USING INDEX _larder_index:events") == true, "\(plan)")
  }
}

@Suite("Documents: dates of earlier versions", .timeLimit(.minutes(20)))
struct DocumentDateUpdateTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
  }

  /// Makes the file as an earlier version left it: dates to the millisecond where that was exact.
  private func makeFormerFile() async throws {
    let store = try file.open()
    try await store.documents("events").save(json: [
      (key: "a", value: #"{"at":"2026-07-04T12:00:00.000Z","n":1}"#),
      (
        key: "b",
        value:
          #"{"at":"2026-07-04T12:00:00.000500000Z","list":["2026-07-04T12:00:00.250Z"],"2026-07-04T12:00:00.250Z":{"x":"y"}}"#
      ),
      (
        key: "c",
        value:
          #"{"at":"on \"2026-07-04T12:00:00.000Z\" at noon","zone":"2026-07-04T12:00:00.000+02:00","q":"\"2026-07-04T12:00:00.000Z"}"#
      ),
    ])
    try await store.documents("others").save("a", ["at": "2026-07-04T12:00:00.000Z"])
    try await store.documents("events").index(on: "at")
    for column in ["dates", "times"] {
      try await store.sql(SQL(raw: "alter table _larder_collections drop column \(column)"))
    }
  }

  private func checkUpdated(_ store: Store) async throws {
    let events = store.documents("events")
    #expect(
      try await events.keys { $0.at.isIn(["2026-07-04T12:00:00.000000000Z", "2026-07-04T12:00:00.000500000Z"]) }
        .sorted() == ["a", "b"])
    #expect(try await events.json("a") == #"{"at":"2026-07-04T12:00:00.000000000Z","n":1}"#)
    #expect(
      try await events.json("b")
        == #"{"at":"2026-07-04T12:00:00.000500000Z","list":["2026-07-04T12:00:00.250000000Z"],"2026-07-04T12:00:00.250Z":{"x":"y"}}"#
    )
    #expect(
      try await events.json("c")
        == #"{"at":"on \"2026-07-04T12:00:00.000Z\" at noon","zone":"2026-07-04T12:00:00.000+02:00","q":"\"2026-07-04T12:00:00.000Z"}"#
    )
    #expect(try await store.documents("others").find("a") == ["at": "2026-07-04T12:00:00.000000000Z"])
    #expect(try await events.keys(sort: "at") == ["a", "b", "c"])
  }

  @Test(
    "B1: opening a file of an earlier version brings its dates over, once; the names of properties and other texts stay"
  )
  func opening() async throws {
    try await makeFormerFile()
    for _ in 0..<2 { try await checkUpdated(file.open()) }
    // What comes later is the user's.
    let store = try file.open()
    try await store.documents("events").save("d", json: #"{"at":"2026-07-04T12:00:00.000Z"}"#)
    #expect(try await file.open().documents("events").json("d") == #"{"at":"2026-07-04T12:00:00.000Z"}"#)
    #expect(try await store.sql("pragma integrity_check").first?.first?.value == "ok")
  }

  @Test(
    "B1: a collection that an earlier version makes in a file of today is brought over when the file is opened again")
  func earlierWriter() async throws {
    try await makeFormerFile()
    let store = try file.open()
    try await store.documents("late").save("a", json: #"{"at":"2026-07-04T12:00:00.000Z"}"#)
    try await store.sql("update _larder_collections set dates = 0 where name = 'late'")
    #expect(try await file.open().documents("late").find("a") == ["at": "2026-07-04T12:00:00.000000000Z"])
  }

  @Test(
    "B1: a store of an existing file leaves it as it is until a document is written, and conditions find dates in either form"
  )
  func existing() async throws {
    try await makeFormerFile()
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    #expect(try await store.documents("events").json("a")?.contains("00.000Z") == true)
    let noon = try #require(DocumentValue.text("2026-07-04T12:00:00Z").date)
    #expect(try await store.documents("events").keys { $0.at == noon } == ["a"])
    try await store.documents("others").save("b", ["n": 1])
    try await checkUpdated(store)
  }

  @Test("B1: a rolled back first write takes the change of the dates back with it, and the next write makes it")
  func rollback() async throws {
    try await makeFormerFile()
    struct Stop: Error {}
    let store = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    await #expect(throws: Stop.self) {
      try await store.write { db in
        try db.documents("others").save("b", ["n": 1])
        #expect(try db.documents("events").json("a")?.contains("00.000000000Z") == true)
        throw Stop()
      }
    }
    #expect(try await store.documents("events").json("a")?.contains("00.000Z") == true)
    try await store.documents("others").save("b", ["n": 1])
    try await checkUpdated(store)
  }

  @Test("B1: two stores that open one file of an earlier version at once bring it over once")
  func twoStores() async throws {
    try await makeFormerFile()
    let path = file.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = try Store(at: path)
          #expect(try await store.documents("others").find("a") == ["at": "2026-07-04T12:00:00.000000000Z"])
        }
      }
      try await group.waitForAll()
    }
    try await checkUpdated(file.open())
  }

  @Test("B1: a damaged document does not keep the others from being brought over")
  func damaged() async throws {
    try await makeFormerFile()
    do {
      let store = try file.open()
      try await store.documents("others").save("b", ["n": 1])
      try await store.sql("update main.others set json = '{\"at\":\"2026-07-04T12:00:00.000Z\"' where key = 'b'")
      try await store.sql("update _larder_collections set dates = 0")
      try await store.sql("update main.others set json = '{\"at\":\"2026-07-04T12:00:00.000Z\"}' where key = 'a'")
    }
    let store = try file.open()
    #expect(try await store.documents("others").find("a") == ["at": "2026-07-04T12:00:00.000000000Z"])
    #expect(try await store.documents("others").json("b") == "{\"at\":\"2026-07-04T12:00:00.000Z\"")
  }
}
