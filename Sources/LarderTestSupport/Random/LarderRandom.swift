// `SplitMix64` is in a target of its own, because the tests of archives use it too, and they know nothing of databases.
@_exported public import LarderRandom
