func.func @first() {
  func.return
}

// -----

func.func @second() {
  func.return
}
