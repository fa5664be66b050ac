"""Real phones over adb, and a double of one that speaks the same protocol."""
