/// An encoded column of a `RecordedRow`. Texts and blobs point into the row's arena and must not outlive it.
@usableFromInline
enum RecordedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}
