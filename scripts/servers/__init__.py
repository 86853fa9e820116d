"""Both web servers: pages to try systems on, and pages on which people judge."""
