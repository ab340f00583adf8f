"""The documentation, and the programs that write its generated parts and run its examples."""
