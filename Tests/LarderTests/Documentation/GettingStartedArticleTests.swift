import Foundation
import Larder
import Synchronization
import Testing

@Suite("Documentation: Getting started")
struct GettingStartedArticleTests {
  private typealias Book = GettingStartedArticle.Book
  private typealias ReadingList = GettingStartedArticle.ReadingList

  @Test("a finished book leaves the list")
  func finishing() async throws {
    let list = ReadingList(store: try Store(inMemoryFor: Book.self))
    try await list.add("Emma", by: "Jane Austen")
    #expect(try await list.finish("Emma"))
    #expect(try await list.unread().isEmpty)
  }

  @Test("the program prints what the article says, on the first run and on later ones")
  func program() async throws {
    let folder = try ArticleFolder()
    let printed = Mutex<[String]>([])
    func run(_ arguments: String...) async throws -> [String] {
      printed.withLock { $0 = [] }
      let list = try await ReadingList.open(in: folder.url)
      let call = GettingStartedArticle.Call(arguments: ["reading"] + arguments)
      try await GettingStartedArticle.run(list, call) { line in printed.withLock { $0.append(line) } }
      await list.store.close()
      return printed.withLock { $0 }
    }
    #expect(try await run() == ["Middlemarch by George Eliot", "Walden by Henry David Thoreau"])
    #expect(try await run("finish", "Walden") == ["Middlemarch by George Eliot"])
    #expect(try await run("add", "Emma", "Jane Austen") == ["Emma by Jane Austen", "Middlemarch by George Eliot"])
    #expect(
      try await run("finish", "Walden") == [
        "No unread book has this title.", "Emma by Jane Austen", "Middlemarch by George Eliot",
      ])
  }

  @Test("a loop over live results follows the list", .timeLimit(.minutes(20)))
  func following() async throws {
    let folder = try ArticleFolder()
    let list = try await ReadingList.open(in: folder.url)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    @Sendable func print(_ text: String) { line.yield(text) }
    let task = Task {
      for try await books in list.store.live(Book.unread) {
        print("\(books.count) to read")
      }
    }
    var following = lines.makeAsyncIterator()
    #expect(await following.next() == "2 to read")
    try await list.add("Emma", by: "Jane Austen")
    #expect(await following.next() == "3 to read")
    task.cancel()
  }

  @Test("a new property with a default is a column of the rows that are there")
  func laterVersion() async throws {
    let folder = try ArticleFolder()
    let list = try await ReadingList.open(in: folder.url)
    await list.store.close()
    let url = folder.file("books.larder")
    do {
      typealias Book = GettingStartedArticleLater.Book
      var printed: [String] = []
      func print(_ plan: MigrationPlan) { printed.append("\(plan)") }

      print(try Store.plan(at: url, for: Book.self))

      #expect(printed.count == 1)
      #expect(printed.first?.contains("rating") == true)
      let store = try Store(at: url, for: Book.self)
      #expect(try await store.fetch(Book.unread).map(\.rating) == [0, 0])
      await store.close()
    }
    let error = await #expect(throws: StoreError.self) { try await ReadingList.open(in: folder.url) }
    #expect(error?.code == .newerFile)
  }
}
