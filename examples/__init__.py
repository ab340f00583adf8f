"""Programs that show the compiler at work, and the data they read."""
