import Foundation
import LarderArchive
import LarderArchiveMutation

/// Decodes damaged archives and hostile graphs:
/// `LarderArchiveFuzz [cases of each kind] [seed] [kind …] [keyed archive …]`; a seed that is no number is a random
/// one, and without a kind all have their turn.
///
/// All cases run on a thread with a stack of 512 KB. A case that traps, takes ten seconds of the processor, hangs for
/// two minutes or takes more than 256 MiB ends the run, and its kind and seed are printed: run it again with
/// `1 SEED KIND`.

let arguments = CommandLine.arguments
let cases = arguments.count > 1 ? UInt64(arguments[1]) ?? 1_000_000 : 1_000_000
let seed = (arguments.count > 2 ? UInt64(arguments[2]) : nil) ?? UInt64.random(in: 0..<1 << 40)

/// The kinds that are asked for, and the files.
let named = arguments.dropFirst(3).compactMap { Fuzz.Kind(rawValue: $0) }
let files = arguments.dropFirst(3).filter { Fuzz.Kind(rawValue: $0) == nil }

/// The kind and the seed of the case that runs, as text and in memory that never moves, so that the handler of a signal
/// may write it.
nonisolated(unsafe) let seedText = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)

func fail(_ signal: Int32) {
  _ = write(2, seedText.baseAddress, seedText.count)
  _exit(128 + signal)
}

/// The largest memory of this process so far, in KiB.
func peakMemory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

/// Packages are in memory where there is a file system for that: each case syncs some files.
let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
let parent = FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
let folder = parent.appending(path: "larder-archive-fuzz-\(UUID().uuidString)", directoryHint: .isDirectory)

@Sendable func run(_ kind: Fuzz.Kind, _ fuzz: Fuzz) -> Fuzz.Outcome {
  // A signal's handler needs some of this small stack as well.
  var outcome = Fuzz.Outcome()
  for index in 0..<cases {
    seedText.initialize(repeating: 0x20)
    for (place, byte) in "failed: \(kind) seed \(seed &+ index)\n".utf8.prefix(64).enumerated() {
      seedText[place] = byte
    }
    alarm(120)
    let start = clock()
    fuzz.run(kind, seed: seed &+ index, in: folder, &outcome)
    if clock() - start > 10 * CLOCKS_PER_SEC {
      print("more than ten seconds at \(kind) seed \(seed &+ index)")
      exit(1)
    }
    if index.isMultiple(of: 1000), peakMemory() > 256 << 10 {
      print("more than 256 MiB at \(kind) seed \(seed &+ index), or up to 1,000 before it")
      exit(1)
    }
  }
  alarm(0)
  return outcome
}

for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] { signal(number, fail) }
let fuzz = try Fuzz(keyed: files.map { try Data(contentsOf: URL(filePath: $0)) })
defer { try? FileManager.default.removeItem(at: folder) }
print("\(cases) cases of each kind from seed \(seed), on a stack of 512 KB")
for kind in named.isEmpty ? Fuzz.Kind.allCases : named {
  let start = ContinuousClock.now
  let outcome = try SmallThread.run { run(kind, fuzz) }
  let errors = outcome.errors.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  print(
    "\(kind): values \(outcome.values), \(errors); \((ContinuousClock.now - start).components.seconds) s; peak memory \(peakMemory() / 1024) MiB"
  )
  fflush(nil)
}
