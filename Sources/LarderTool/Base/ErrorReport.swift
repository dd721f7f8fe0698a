import ArgumentParser
import Foundation
import Larder
import LarderArchive
import LarderSync

/// What a person reads of an error, and the exit code that a script sees.
enum ErrorReport {
  /// Writes the error and ends the process: with 1 for what failed, with the parser's code for a misspelled command.
  static func exit(with error: any Error) -> Never {
    guard let message = message(of: error) else { LarderTool.exit(withError: error) }
    StandardError.write("larder: \(message)\n")
    LarderTool.exit(withError: ExitCode.failure)
  }

  /// Returns the message of an error of the library or of the tool, made safe for a terminal; nil for those of the
  /// parser, which knows how to show them.
  static func message(of error: any Error) -> String? {
    switch error {
    case let failure as Failure: DisplayText.escaped(failure.description, keepsLines: true)
    case let error as StoreError: DisplayText.escaped(error.message)
    case let error as ArchiveError: DisplayText.escaped(error.message)
    case let error as BatchError: DisplayText.escaped(error.message)
    case is CancellationError: "The work was cancelled."
    case let error as CocoaError: DisplayText.escaped(error.localizedDescription)
    default: nil
    }
  }
}

/// Standard error.
enum StandardError {
  static func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
