/// Why a request was refused, for the page to show where it belongs.
struct NoteRefusal: Encodable {
  struct Reason: Encodable {
    var field: NoteProblem.Field?
    var message: String
  }

  var error: Reason
  /// The note as it is now, if that is the reason.
  var note: Note?
}
