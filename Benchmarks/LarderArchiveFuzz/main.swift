import Foundation
import LarderArchive
import LarderArchiveMutation

/// Decodes damaged archives: `LarderArchiveFuzz [cases] [seed] [keyed archive …]`; a seed that is no number is a random one.
///
/// A case that traps, hangs for ten seconds or takes more than 128 MiB ends the run, and its seed is printed: run it again with `1 SEED`.

let arguments = CommandLine.arguments
let cases = arguments.count > 1 ? UInt64(arguments[1]) ?? 1_000_000 : 1_000_000
let seed = (arguments.count > 2 ? UInt64(arguments[2]) : nil) ?? UInt64.random(in: 0..<1 << 40)

/// The seed of the case that runs, as text and in memory that never moves, so that the handler of a signal may write it.
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

for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] { signal(number, fail) }
let fuzz = try Fuzz(keyed: arguments.dropFirst(3).map { try Data(contentsOf: URL(filePath: $0)) })
var outcome = Fuzz.Outcome()
print("\(cases) cases from seed \(seed)")
for index in 0..<cases {
  seedText.initialize(repeating: 0x20)
  for (place, byte) in "failed: seed \(seed &+ index)\n".utf8.prefix(64).enumerated() { seedText[place] = byte }
  alarm(10)
  fuzz.run(seed: seed &+ index, &outcome)
  if index.isMultiple(of: 1000), peakMemory() > 128 << 10 {
    print("more than 128 MiB at seed \(seed &+ index), or up to 1,000 before it")
    exit(1)
  }
}
alarm(0)
print("values: \(outcome.values)")
for (code, count) in outcome.errors.sorted(by: { $0.value > $1.value }) { print("\(code): \(count)") }
print("peak memory: \(peakMemory() / 1024) MiB")
