import SwiftDiagnostics

/// A misuse of a macro: what is wrong, why, and the remedy, in one message.
struct Misuse: DiagnosticMessage {
  let message: String
  let diagnosticID: MessageID
  let severity = DiagnosticSeverity.error

  /// - Parameter id: The name of the member that creates the message, which identifies it for tools.
  init(_ message: String, id: String = #function) {
    self.message = message
    diagnosticID = MessageID(domain: "LarderMacros", id: id)
  }
}
