/// One encoded column, to be bound later; text and blobs point into its arena.
@usableFromInline
enum RecordedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}
