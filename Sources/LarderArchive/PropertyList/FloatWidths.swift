extension Double {
  /// A Float's number; of a NaN all bits that say more than that it is one stay, which a conversion would change.
  init(keeping number: Float) {
    guard number.isNaN else {
      self.init(number)
      return
    }
    let bits = UInt64(number.bitPattern)
    self.init(bitPattern: (bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | (bits & 0x007f_ffff) << 29)
  }
}

extension Float {
  /// The nearest Float; nil for a finite number that only infinity is near to. The bits of a NaN stay, as far as there is room for them.
  init?(keeping number: Double) {
    if number.isNaN {
      let bits = UInt32(truncatingIfNeeded: (number.bitPattern & 0x000f_ffff_ffff_ffff) >> 29)
      let sign = UInt32(truncatingIfNeeded: number.bitPattern >> 32) & 0x8000_0000
      self.init(bitPattern: sign | 0x7f80_0000 | (bits == 0 ? 0x0040_0000 : bits))
      return
    }
    self.init(number)
    if isInfinite && number.isFinite { return nil }
  }
}
