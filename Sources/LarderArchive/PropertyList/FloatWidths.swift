extension Double {
  /// Returns a Float's value; the payload of a NaN is preserved, which a conversion would change.
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
  /// Returns the nearest Float; nil for a finite number out of range. The payload of a NaN is preserved as far as it
  /// fits.
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
