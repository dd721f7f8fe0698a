/// Takes a value that the optimizer must believe to be used.
@inline(never)
@_optimize(none)
func blackHole<Value>(_ value: Value) {}
