import SwiftDiagnostics

/// Something that a macro refuses: what is wrong, why, and the remedy, in one message.
struct Misuse: DiagnosticMessage {
  let message: String
  let diagnosticID: MessageID
  let severity = DiagnosticSeverity.error

  /// - Parameter id: the name of the member that makes the message, by which tools tell messages apart.
  init(_ message: String, id: String = #function) {
    self.message = message
    diagnosticID = MessageID(domain: "LarderMacros", id: id)
  }
}
