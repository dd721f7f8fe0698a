// swift-tools-version: 6.1

import CompilerPluginSupport
import Foundation
import PackageDescription

/// Publishers where there is no Combine.
let openCombine = Target.Dependency.product(
  name: "OpenCombine", package: "OpenCombine",
  condition: .when(platforms: [.linux, .windows, .android, .wasi], traits: ["Combine"]))

/// What pages are served with.
let web: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

let package = Package(
  name: "larder",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Larder", targets: ["Larder"]),
    .library(name: "LarderArchive", targets: ["LarderArchive"]),
    .library(name: "LarderCombine", targets: ["LarderCombine"]),
    .library(name: "LarderSync", targets: ["LarderSync"]),
    .library(name: "LarderTestSupport", targets: ["LarderTestSupport"]),
    .executable(name: "larder", targets: ["LarderTool"]),
  ],
  // What a package that uses Larder alone need not fetch: it writes `traits: []`.
  traits: [
    .trait(name: "Combine", description: "LarderCombine, which needs OpenCombine on Linux."),
    .trait(name: "Sync", description: "LarderSync and LarderTestSupport, which need swift-protobuf."),
    .default(enabledTraits: ["Combine", "Sync"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"604.0.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "3.12.3"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "Larder",
      dependencies: [
        "CLarderSQLite",
        "LarderArchive",
        "LarderMacros",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),
    .macro(
      name: "LarderMacros",
      dependencies: [
        "LarderMacroExpansion",
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ]
    ),
    .target(
      name: "LarderMacroExpansion",
      dependencies: [
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ]
    ),
    .target(name: "LarderArchive", dependencies: ["CLarderZlib"]),
    // Where SQLite keeps the journals of statements, which it asks C for.
    .target(name: "CLarderSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    // The system's zlib, for zip files.
    .systemLibrary(name: "CLarderZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "LarderCombine", dependencies: ["Larder", openCombine]),
    .target(
      name: "LarderSync",
      dependencies: [
        "CLarderZlib",
        "Larder",
        "LarderArchive",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Sync"])),
      ],
      exclude: ["Wire/sync.proto"]),
    .target(name: "LarderTestSupport", dependencies: ["Larder", "LarderRandom", "LarderSync"]),
    // Seeded random numbers, for the tests of archives too, which know nothing of databases.
    .target(name: "LarderRandom"),
    // A data browser for any store.
    .target(
      name: "LarderStudio",
      dependencies: [
        "Larder",
        "LarderSync",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ] + web,
      resources: [.embedInCode("Page")]
    ),
    // The `larder` command.
    .executableTarget(
      name: "LarderTool",
      dependencies: [
        "Larder", "LarderArchive", "LarderStudio", "LarderSync",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // What the pages and the requests of the examples share.
    .target(
      name: "ExampleWeb",
      dependencies: ["Larder"] + web,
      path: "Examples/ExampleWeb",
      resources: [.embedInCode("Page")]
    ),
    .target(
      name: "Creatures",
      dependencies: ["ExampleWeb", "LarderArchive"] + web,
      path: "Examples/Creatures",
      resources: [.embedInCode("Page")]
    ),
    .target(
      name: "Notes",
      dependencies: ["ExampleWeb", "Larder"] + web,
      path: "Examples/Notes",
      resources: [.embedInCode("Page")]
    ),
    .target(
      name: "Ledger",
      dependencies: [
        "ExampleWeb", "Larder", "LarderSync", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ] + web,
      path: "Examples/Ledger",
      resources: [.embedInCode("Page")]
    ),
    .target(
      name: "Devices",
      dependencies: [
        "ExampleWeb", "Larder", "LarderSync", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ] + web,
      path: "Examples/Devices",
      resources: [.embedInCode("Page")]
    ),
    .executableTarget(name: "Invoices", dependencies: ["Larder"], path: "Examples/Invoices"),
    .executableTarget(
      name: "Showcase",
      dependencies: [
        "Creatures",
        "Devices",
        "ExampleWeb",
        "Larder",
        "LarderStudio",
        "Ledger",
        "Notes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Examples/Showcase",
      resources: [.embedInCode("Page")]
    ),
    .executableTarget(
      name: "LarderBench",
      dependencies: [
        "Larder",
        "LarderRandom",
        "LarderSync",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/LarderBench"
    ),
    .executableTarget(
      name: "LarderArchiveBench", dependencies: ["LarderArchive", "LarderArchiveMutation"],
      path: "Benchmarks/LarderArchiveBench"),
    .executableTarget(
      name: "LarderArchiveFuzz", dependencies: ["LarderArchive", "LarderArchiveMutation"],
      path: "Benchmarks/LarderArchiveFuzz"),
    // What the tests, the fuzzer and the benchmark of archives share: a model, and damage.
    .target(
      name: "LarderArchiveMutation", dependencies: ["LarderArchive", "LarderRandom"],
      path: "Tests/LarderArchiveMutation"),
    // The second processes of the tests that need one.
    .executableTarget(
      name: "LarderArchiveTestProcess", dependencies: ["LarderArchive", "LarderArchiveMutation", "LarderRandom"],
      path: "Tests/LarderArchiveTestProcess"),
    .executableTarget(
      name: "LarderStudioTestProcess", dependencies: ["Larder", "LarderStudio", "LarderSync"],
      path: "Tests/LarderStudioTestProcess"),
    .executableTarget(name: "LarderTestProcess", dependencies: ["Larder"], path: "Tests/LarderTestProcess"),
    .executableTarget(
      name: "LarderSyncTestProcess", dependencies: ["Larder", "LarderSync"], path: "Tests/LarderSyncTestProcess"),
    // What `make proof` does at length and its tests do in short.
    .target(
      name: "LarderProving",
      dependencies: [
        "CFaultVFS",
        "Larder",
        "LarderSync",
        "LarderTestSupport",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Tests/LarderProving"
    ),
    // A file system for SQLite whose calls fail when a test says so.
    .target(
      name: "CFaultVFS", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")], path: "Tests/CFaultVFS"),
    .executableTarget(
      name: "LarderProof",
      dependencies: ["LarderProving", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Benchmarks/LarderProof"
    ),
    .testTarget(
      name: "LarderBenchTests",
      dependencies: ["LarderBench", .product(name: "GRDBSQLite", package: "GRDB.swift")]),
    .testTarget(
      name: "LarderProvingTests",
      dependencies: [
        "CFaultVFS", "Larder", "LarderArchiveFuzz", "LarderProof", "LarderProving", "LarderTestSupport",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "LarderTests",
      dependencies: ["Larder", "LarderCombine", "LarderTestSupport", "LarderTestProcess", openCombine]),
    .testTarget(
      name: "LarderArchiveTests",
      dependencies: ["LarderArchive", "LarderArchiveMutation", "LarderArchiveTestProcess", "LarderRandom"],
      exclude: ["Fixtures"]
    ),
    .testTarget(
      name: "LarderCombineTests",
      dependencies: ["Larder", "LarderCombine", "LarderSync", "LarderTestSupport", openCombine]),
    .testTarget(
      name: "LarderSyncTests",
      dependencies: [
        "Larder", "LarderArchive", "LarderProving", "LarderRandom", "LarderSync", "LarderSyncTestProcess",
        "LarderTestSupport",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "LarderToolTests",
      dependencies: ["Larder", "LarderArchive", "LarderSync", "LarderTestSupport", "LarderTool"]),
    .testTarget(name: "CreaturesTests", dependencies: ["Creatures", "ExampleWeb", "LarderArchive"]),
    .testTarget(name: "DevicesTests", dependencies: ["Devices", "Larder", "LarderSync"]),
    .testTarget(name: "InvoicesTests", dependencies: ["Invoices"]),
    .testTarget(name: "LedgerTests", dependencies: ["Ledger"]),
    .testTarget(name: "NotesTests", dependencies: ["ExampleWeb", "Larder", "Notes"]),
    .testTarget(
      name: "LarderMacroExpansionTests",
      dependencies: [
        "LarderMacroExpansion",
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Our own targets only; dependencies keep their own rules. `LARDER_STRICT=1`, which `make check` sets, turns warnings into errors: not
// always, because SwiftPM refuses packages with unsafe flags as dependencies.
for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
  if Context.environment["LARDER_STRICT"] == "1" {
    // Each process that compiles a part of a module expands the macros of all of it: no more parts than processors.
    let processors = ProcessInfo.processInfo.activeProcessorCount
    target.swiftSettings?.append(.unsafeFlags(["-warnings-as-errors", "-driver-batch-count", "\(processors)"]))
  }
  // For `--sanitize=thread`: see PthreadMutex.
  if Context.environment["LARDER_PTHREAD_MUTEX"] == "1" {
    target.swiftSettings?.append(.define("LARDER_PTHREAD_MUTEX"))
  }
}
