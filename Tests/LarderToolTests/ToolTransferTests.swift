import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder export and import", .timeLimit(.minutes(20)))
struct ToolTransferTests {
  private static let formats = ["csv", "json", "jsonl"]

  @Test("what is exported and imported are the same rows, with every type and awkward values", arguments: formats)
  func everyType(format: String) async throws {
    let (first, second) = (try await ToolFile.empty(), try await ToolFile.empty())
    try await first.store { try await $0.insert(ToolNote.awkward) }
    let output = first.side("notes.\(format)")
    let exported = try await ToolRun("export", first.path, "ToolNote", "--output", output)
    #expect(exported.status == 0, "\(exported.errors)")
    let imported = try await ToolRun("import", second.path, "ToolNote", output)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output == "\(ToolNote.awkward.count) inserted, 0 updated, 0 refused\n")
    let sql = "select * from ToolNote order by id"
    #expect(try await second.rows(sql) == first.rows(sql))
    #expect(try await first.rows(sql).count == ToolNote.awkward.count)
    let difference = try await ToolRun("diff", first.path, second.path)
    #expect(difference.status == 0, "\(difference.output)")
  }

  @Test("values of any kind in a file of another program keep their kind", arguments: formats)
  func anyKind(format: String) async throws {
    let table = "create table \"odd \"\"table\"\"\" (id integer primary key, \"a,b\" , \"<b>\" text, r real, n blob)"
    let rows = [
      "(1, 5, 'x', 1.5, x'00ff')", "(2, '5', '', 5.0, x'')", "(3, 5.0, null, null, null)",
      "(4, x'0102', 'X''00''', 0, null)",
      "(5, 9223372036854775807, '1e5', -1e300, x'41')", "(6, '', ' ', 9e999, null)", "(7, 'inf', 'nil', -9e999, null)",
      "(8, null, char(0,10,13), 1, null)", "(9, 'X''0102''', '007', 2, null)",
      "(10, 9e999, '{\"$bytes\":\"AA==\"}', 3, null)",
      "(11, '007', 'x', 0.1, null)", "(12, -1.5e-7, 'x', 0.1, null)",
    ]
    let first = try await ToolFile.foreign(
      table, "insert into \"odd \"\"table\"\"\" values \(rows.joined(separator: ", "))")
    let second = try await ToolFile.foreign(table)
    let exported = try await ToolRun("export", first.path, "odd \"table\"", "--format", format)
    #expect(exported.status == 0, "\(exported.errors)")
    let imported = try await ToolRun(
      "import", second.path, "odd \"table\"", "-", "--format", format, input: exported.output)
    #expect(imported.status == 0, "\(imported.errors)")
    let sql = "select *, typeof(\"a,b\"), typeof(\"<b>\") from \"odd \"\"table\"\"\" order by id"
    let (left, right) = (try await first.rows(sql), try await second.rows(sql))
    #expect(left.count == rows.count)
    for (left, right) in zip(left, right) { #expect(left == right) }
  }

  @Test("documents keep their keys, values and dates of expiry", arguments: formats)
  func documents(format: String) async throws {
    let (first, second) = (try await ToolFile.empty(), try await ToolFile.empty())
    let date = Date(timeIntervalSinceReferenceDate: 1_000_000_000.25)
    for file in [first, second] {
      try await file.store { try await $0.documents("people").save("gone", ["name": "x"]) }
    }
    try await first.store { store in
      let people = store.documents("people")
      try await people.save("ada", json: #"{"name":"Ada","_expires":1,"key2":null,"n":1.0,"list":[1,"2",{"a":true}]}"#)
      try await people.save("a,\"b\"\n\u{0}", json: #"{}"#, expires: date)
      _ = try await people.delete("gone")
    }
    try await second.store { _ = try await $0.documents("people").delete("gone") }
    let exported = try await ToolRun("export", first.path, "people", "--format", format)
    #expect(exported.status == 0, "\(exported.errors)")
    let imported = try await ToolRun("import", second.path, "people", "-", "--format", format, input: exported.output)
    #expect(imported.status == 0, "\(imported.errors)")
    do {
      let store = try second.open()
      let people = store.documents("people")
      #expect(try await people.keys().sorted() == ["a,\"b\"\n\u{0}", "ada"])
      #expect(try await people.expiry(of: "a,\"b\"\n\u{0}") == date)
      #expect(try await people.expiry(of: "ada") == nil)
      #expect(try await people.find("ada")?["list"] == [1, "2", ["a": true]])
      #expect(try await people.find("ada")?["_expires"] == 1)
      await store.close()
    }
  }

  @Test("plain objects with a key become documents")
  func plainDocuments() async throws {
    let file = try await ToolFile.empty()
    try await file.store { try await $0.documents("people").save("old", ["name": "x"]) }
    let input = #"[{"key":"ada","name":"Ada"}, {"name":"nobody"}]"#
    let run = try await ToolRun("import", file.path, "people", "-", "--format", "json", "--keep-going", input: input)
    #expect(run.status == 1)
    #expect(run.errors.contains("-:1: The object has no text called key"))
    do {
      let store = try file.open()
      #expect(try await store.documents("people").find("ada")?["name"] == "Ada")
      await store.close()
    }
  }

  @Test("rows keep their date of expiry, and expired rows aren't exported")
  func expiry() async throws {
    let (first, second) = (try await ToolFile.empty(), try await ToolFile.empty())
    let date = Date(timeIntervalSinceReferenceDate: 2_000_000_000)
    try await first.store { store in
      try await store.insert(ToolTicket(id: 1, text: "stays"), expires: nil)
      try await store.insert(ToolTicket(id: 2, text: "goes"), expires: date)
      try await store.sql("insert into ToolTicket (id, text, _expires) values (3, 'gone', 1)")
    }
    let exported = try await ToolRun("export", first.path, "ToolTicket")
    #expect(exported.lines.count == 3)
    _ = try await ToolRun("import", second.path, "ToolTicket", "-", "--format", "csv", input: exported.output)
    do {
      let store = try second.open()
      #expect(try await store.expiry(of: ToolTicket.self, 1) == nil)
      #expect(try await store.expiry(of: ToolTicket.self, 2) == date)
      #expect(try await store.count(ToolTicket.all) == 2)
      await store.close()
    }
  }

  @Test("a refused row leaves nothing of the import, and the message names its line")
  func allOrNothing() async throws {
    let file = try await ToolFile.empty()
    let input = try file.write("title,count\nMilk,1\n\"two\nlines\",2\nEggs,many\n", to: "in.csv")
    let run = try await ToolRun("import", file.path, "ToolItem", input)
    #expect(run.status == 1)
    #expect(run.errors.contains("in.csv:5: "), "\(run.errors)")
    #expect(run.errors.contains("count"))
    #expect(!run.errors.contains("many"))
    #expect(try await file.rows("select count(*) from ToolItem") == [[0]])
  }

  @Test("with --keep-going refused rows are reported and the others are taken")
  func keepGoing() async throws {
    let file = try await ToolFile.empty()
    let input = try file.write(
      """
      {"title":"Milk"}
      {"title":"Eggs","colour":1}
      {"title":
      {"count":1}
      {"title":"Bread","mood":"angry"}
      {"title":"Butter","total":3}
      {"title":"Jam"}
      """, to: "in.jsonl")
    let run = try await ToolRun("import", file.path, "ToolItem", input, "--keep-going", "--json")
    #expect(run.status == 1)
    let report = try DocumentValue(json: run.output)
    #expect(report["inserted"] == 2)
    #expect(report["refused"] == 5)
    #expect(report["failures"]?.array?.compactMap { $0["line"]?.integer } == [2, 3, 4, 5, 6])
    #expect(try await file.rows("select title from ToolItem order by title") == [["Jam"], ["Milk"]])
  }

  @Test("--update changes rows whose key is there, and leaves properties that aren't named")
  func update() async throws {
    let file = try await ToolFile.empty()
    let id = UUID()
    try await file.store { try await $0.insert(ToolItem(id: id, title: "Milk", count: 1)) }
    let input = try file.write("id,title\n\(id),Oat milk\n,Tea\n", to: "in.csv")
    #expect(try await ToolRun("import", file.path, "ToolItem", input).status == 1)
    let run = try await ToolRun("import", file.path, "ToolItem", input, "--update")
    #expect(run.output == "1 inserted, 1 updated, 0 refused\n", "\(run.errors)")
    do {
      let store = try file.open()
      #expect(try await store.find(ToolItem.self, id)?.title == "Oat milk")
      #expect(try await store.find(ToolItem.self, id)?.count == 1)
      // The full-text index has followed.
      #expect(try await store.count(ToolItem.search("oat")) == 1)
      await store.close()
    }
  }

  @Test("--update leaves the date of expiry of a row, unless the input names it")
  func updateKeepsExpiry() async throws {
    let file = try await ToolFile.empty()
    let date = Date(timeIntervalSinceReferenceDate: 2_000_000_000)
    try await file.store { try await $0.insert(ToolTicket(id: 1, text: "old"), expires: date) }
    for (input, expected) in [("id,text\n1,new\n", date), ("id,text,_expires\n1,newer,\n", nil)] {
      let run = try await ToolRun("import", file.path, "ToolTicket", "-", "--format", "csv", "--update", input: input)
      #expect(run.output == "0 inserted, 1 updated, 0 refused\n", "\(run.errors)")
      let found = try await file.store { try await $0.expiry(of: ToolTicket.self, 1) }
      #expect(found == expected)
    }
  }

  @Test("--update leaves the date of expiry of a document, unless the input names it")
  func updateKeepsExpiryOfDocuments() async throws {
    let file = try await ToolFile.empty()
    let date = Date(timeIntervalSinceReferenceDate: 2_000_000_000)
    try await file.store { try await $0.documents("people").save("ada", json: "{}", expires: date) }
    let inputs = [
      (#"{"key":"ada","name":"Ada"}"#, date), (#"{"key":"ada","document":{"name":"A"}}"#, date),
      (#"{"key":"ada","document":{"name":"B"},"_expires":null}"#, nil),
    ]
    for (input, expected) in inputs {
      let run = try await ToolRun("import", file.path, "people", "-", "--format", "jsonl", "--update", input: input)
      #expect(run.output == "0 inserted, 1 updated, 0 refused\n", "\(run.errors)")
      let found = try await file.store { try await $0.documents("people").expiry(of: "ada") }
      #expect(found == expected)
    }
  }

  @Test("rows whose references are checked at the end are refused with their lines")
  func deferredReferences() async throws {
    let reference = "on delete cascade deferrable initially deferred"
    let file = try await ToolFile.foreign(
      "create table p (id integer primary key)", "insert into p values (1)",
      "create table c (id integer primary key, p int references p \(reference), up int references c \(reference))")
    // The third row refers to the one after it, the last to one that is refused.
    let input = "id,p,up\n1,1,\n2,9,\n3,1,4\n4,1,\n5,1,2\n"
    let strict = try await ToolRun("import", file.path, "c", "-", "--format", "csv", input: input)
    #expect(strict.status == 1)
    #expect(strict.errors.contains("-:3: The row refers to a row of p that isn't there"), "\(strict.errors)")
    #expect(try await file.rows("select count(*) from c") == [[0]])
    let run = try await ToolRun("import", file.path, "c", "-", "--format", "csv", "--keep-going", input: input)
    #expect(run.output == "3 inserted, 0 updated, 2 refused\n", "\(run.errors)")
    #expect(run.errors.contains("-:3: ") && run.errors.contains("-:6: "), "\(run.errors)")
    #expect(try await file.rows("select id from c order by id") == [[1], [3], [4]])
  }

  @Test("with --keep-going a row that isn't UTF-8 is reported, and the others are taken", arguments: ["csv", "jsonl"])
  func keepGoingOverBytes(format: String) async throws {
    let file = try await ToolFile.empty()
    let quoted = ["title", "Milk", "\"a\u{FF}\"", "Tea"]
    let lines = format == "csv" ? quoted : [#"{"title":"Milk"}"#, "\u{FF}", #"{"title":"Tea"}"#]
    let input = file.folder.file("in.\(format)")
    // In Latin-1, what isn't ASCII is no UTF-8.
    try #require(lines.joined(separator: "\n").data(using: .isoLatin1)).write(to: input)
    let run = try await ToolRun("import", file.path, "ToolItem", input.path, "--keep-going")
    #expect(run.output == "2 inserted, 0 updated, 1 refused\n", "\(run.errors)")
    #expect(run.errors.contains("UTF-8"), "\(run.errors)")
    #expect(try await ToolRun("import", file.path, "ToolItem", input.path).status == 1)
    #expect(try await file.rows("select count(*) from ToolItem") == [[2]])
  }

  @Test("a byte order mark on standard input is no part of the first column's name")
  func byteOrderMark() async throws {
    let file = try await ToolFile.empty()
    let run = try await ToolRun(
      "import", file.path, "ToolItem", "-", "--format", "csv", input: "\u{FEFF}title\nMilk\n")
    #expect(run.output == "1 inserted, 0 updated, 0 refused\n", "\(run.errors)")
  }

  @Test("derived values follow imported rows, and a reference to a row that isn't there is refused")
  func rules() async throws {
    let (first, second) = (try await ToolFile.empty(), try await ToolFile.empty())
    try await first.store { store in
      let account = ToolAccount(number: "1")
      try await store.insert(account)
      try await store.insert([
        ToolCost(amount: 3, account: ToOne(account)), ToolCost(amount: 4, account: ToOne(account)),
      ])
    }
    let accounts = try await ToolRun("export", first.path, "ToolAccount")
    let costs = try await ToolRun("export", first.path, "ToolCost")
    let early = try await ToolRun("import", second.path, "ToolCost", "-", "--format", "csv", input: costs.output)
    #expect(early.status == 1)
    #expect(try await second.rows("select count(*) from ToolCost") == [[0]])
    for (table, rows) in [("ToolAccount", accounts.output), ("ToolCost", costs.output)] {
      let run = try await ToolRun("import", second.path, table, "-", "--format", "csv", input: rows)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try await second.rows("select total from ToolAccount") == [[7]])
  }

  @Test(
    "CSV that can't be read names the line",
    arguments: [
      ("title\n\"open", "-:2: A quote isn't closed"), ("title\n\"a\"b\n", "-:2: A closed quote has something"),
      ("title,title\nx,y\n", "-:1: The column title is named twice"), ("", "-:1: The input is empty"),
      ("title\na,b\n", "-:2: The line has 2 fields"), ("colour\nx\n", "has no property colour"),
    ])
  func badCSV(input: String, message: String) async throws {
    let file = try await ToolFile.empty()
    let run = try await ToolRun("import", file.path, "ToolItem", "-", "--format", "csv", input: input)
    #expect(run.status == 1)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test(
    "JSON that can't be read names the line",
    arguments: [
      ("{}", "isn't a JSON array"), ("[{\"title\":\"x\"}", "ends early"), ("[{\"title\":\"x\"}] 1", "stands behind"),
      ("[1]", "-:1: The value isn't an object"), ("[\n\n{\"title\":}]", "-:3: "), ("[{\"title\":[1]}]", "is an array"),
    ])
  func badJSON(input: String, message: String) async throws {
    let file = try await ToolFile.empty()
    let run = try await ToolRun("import", file.path, "ToolItem", "-", "--format", "json", input: input)
    #expect(run.status == 1)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(try await file.rows("select count(*) from ToolItem") == [[0]])
  }

  @Test("an export never replaces the file that it reads, and a failed one leaves no file")
  func output() async throws {
    let file = try await ToolFile.withNotes()
    let itself = try await ToolRun("export", file.path, "ToolNote", "--output", file.path)
    #expect(itself.status == 1)
    #expect(itself.errors.contains("is the file that is read"))
    let target = file.side("out.csv")
    let failed = try await ToolRun("export", file.path, "ToolNote", "--output", target, "--where", "colour == 1")
    #expect(failed.status == 1)
    #expect(failed.errors.contains("\n  colour == 1\n  ^"), "\(failed.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: file.folder.url.path)
    #expect(names.filter { $0.contains("out.csv") } == [])
  }
}
