extension String {
  /// Returns whether SQLite takes both names for the same column. It ignores the case of the letters A to Z.
  func isSameColumn(as other: String) -> Bool {
    func folded(_ name: String) -> [UInt8] { name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    return folded(self) == folded(other)
  }
}
