"""Review campaigns: what is judged by whom, and what came of it; above the metrics it serves."""
