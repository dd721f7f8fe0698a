import Foundation

/// Physical memory of a process while it did one case, in bytes.
struct PeakMemory: Codable {
  /// Before the work began: the program, its libraries, an open file, and the inputs.
  var before: Int

  /// The most at any time since then.
  var peak: Int

  /// Pages of files when the work is done: the program's code and that of its libraries. The system can drop them, and
  /// has them once for all processes.
  var ofFiles: Int

  /// Several processes that did the same.
  struct Runs {
    var runs: [PeakMemory]

    var peaks: [Int] { runs.map(\.peak) }
    var peak: Int { median(\.peak) }
    var growth: Int { peak - median(\.before) }
    var ofFiles: Int { median(\.ofFiles) }

    private func median(_ figure: KeyPath<PeakMemory, Int>) -> Int {
      Int(Sample.median(of: runs.map { Double($0[keyPath: figure]) }))
    }
  }

  /// Does the work once and watches this process.
  static func whilePerforming(_ participant: any AnyParticipant) async throws -> PeakMemory {
    resetPeak()
    let before = resident
    _ = try await participant.perform()
    return PeakMemory(before: before, peak: residentPeak, ofFiles: residentOfFiles)
  }

  /// Runs the hidden subcommand `memory` in processes of its own.
  ///
  /// - Parameters:
  ///   - count: the number of processes.
  ///   - copy: makes a fresh file.
  static func ofChild(
    _ benchmark: BenchmarkCase, _ contender: ContenderName, count: Int, copy: () throws -> String
  ) throws -> Runs {
    var runs: [PeakMemory] = []
    for _ in 0..<count {
      let child = Process()
      child.executableURL = Bundle.main.executableURL
      child.arguments = ["memory", benchmark.rawValue, contender.rawValue, "--file", try copy()]
      // Memory as an app sees it: with the allocator's own thresholds.
      child.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MALLOC_") }
      let output = Pipe()
      child.standardOutput = output
      try child.run()
      let answer = output.fileHandleForReading.readDataToEndOfFile()
      child.waitUntilExit()
      runs.append(try JSONDecoder().decode(PeakMemory.self, from: answer))
    }
    return Runs(runs: runs)
  }

  #if os(Linux)
  /// Gives back what making the inputs left on the heap, and makes the system forget the peak so far.
  private static func resetPeak() {
    // Swift's Glibc module does not have <malloc.h>.
    if let function = dlsym(nil, "malloc_trim") {
      _ = unsafeBitCast(function, to: (@convention(c) (Int) -> Int32).self)(0)
    }
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
  }

  private static var resident: Int { field("VmRSS") }

  private static var residentOfFiles: Int { field("RssFile") }

  /// Not `getrusage`, whose maximum on Linux is never less than that of the process that started this one.
  static var residentPeak: Int { field("VmHWM") }

  private static func field(_ name: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    let kilobytes = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    return (kilobytes ?? 0) * 1024
  }
  #else
  /// There is no way to: what was the peak before is the least that is reported.
  private static func resetPeak() {}

  private static var resident: Int { residentPeak }

  /// The system doesn't say.
  private static var residentOfFiles: Int { 0 }

  static var residentPeak: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
  }
  #endif
}
