"""Writing traced arrays, which shows in all arrays that share elements."""
