"""What people look at: faults in order with their reproducers, contracts, and the same as JSON."""
