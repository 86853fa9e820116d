"""Neural systems: fields, encoding, batches, training; one network a file in networks/."""
