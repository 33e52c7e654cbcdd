"""Arrays in, arrays out: the mathematics and the compiled solver."""
