import Foundation
import Larder

#if canImport(SwiftUI)
import SwiftUI
#endif

/// The app of the article, as it is in the end but for the last property of its model.
enum GettingStartedArticle {
  @Model
  struct Book {
    var id: UUID = .v7()
    @Attribute(.indexed) var title: String
    var author: String
    var finishedAt: Date?

    static var unread: Query<Book> {
      Book.where { $0.finishedAt == nil }.sorted(by: \.title)
    }
  }

  struct ReadingList {
    let store: Store

    static func open(in folder: URL) async throws -> ReadingList {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let store = try Store(at: folder.appending(path: "books.larder"), for: Book.self)
      try await store.once("first books") { db in
        try db.insert([
          Book(title: "Middlemarch", author: "George Eliot"),
          Book(title: "Walden", author: "Henry David Thoreau"),
        ])
      }
      return ReadingList(store: store)
    }

    func add(_ title: String, by author: String) async throws {
      try await store.insert(Book(title: title, author: author))
    }

    func finish(_ title: String) async throws -> Bool {
      let books = Book.unread.where { $0.title == title }
      return try await store.updateAll(books) { $0.finishedAt.set(.now) } > 0
    }

    func unread() async throws -> [Book] {
      try await store.fetch(Book.unread)
    }
  }

  /// The first line of the program; tests open folders of their own.
  static func openHere() async throws -> ReadingList {
    let list = try await ReadingList.open(in: .currentDirectory())

    return list
  }

  /// What the program was called with.
  struct Call {
    let arguments: [String]
  }

  /// The rest of the program.
  static func run(_ list: ReadingList, _ call: Call, _ print: (String) -> Void) async throws {
    // The arguments are those that the test gives.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let CommandLine = call

    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 3, arguments[0] == "add" {
      try await list.add(arguments[1], by: arguments[2])
    } else if arguments.count == 2, arguments[0] == "finish" {
      if try await !list.finish(arguments[1]) { print("No unread book has this title.") }
    }
    for book in try await list.unread() {
      print("\(book.title) by \(book.author)")
    }
  }

  #if canImport(SwiftUI)
  struct ReadingListView: View {
    let list: ReadingList
    @State private var books: [Book] = []
    @State private var problem: String?

    var body: some View {
      VStack {
        if let problem { Text(problem) }
        List(books) { book in
          HStack {
            Text(book.title)
            Spacer()
            Button("Finished") { finish(book) }
          }
        }
      }
      .task {
        do {
          for try await books in list.store.live(Book.unread) { self.books = books }
        } catch {
          problem = "\(error)"
        }
      }
    }

    private func finish(_ book: Book) {
      Task {
        do {
          var book = book
          book.finishedAt = .now
          try await list.store.update(book)
        } catch {
          problem = "\(error)"
        }
      }
    }
  }

  struct RootView: View {
    @State private var list: ReadingList?
    @State private var problem: String?

    var body: some View {
      VStack {
        if let list { ReadingListView(list: list) }
        if let problem { Text(problem) }
      }
      .task {
        do {
          list = try await ReadingList.open(in: .applicationSupportDirectory)
        } catch {
          problem = "\(error)"
        }
      }
    }
  }
  #endif
}

/// The model after its first change.
enum GettingStartedArticleLater {
  @Model
  struct Book {
    var id: UUID = .v7()
    @Attribute(.indexed) var title: String
    var author: String
    var finishedAt: Date?
    var rating = 0

    static var unread: Query<Book> {
      Book.where { $0.finishedAt == nil }.sorted(by: \.title)
    }
  }
}
