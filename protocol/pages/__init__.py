"""HTML pages: one file each, without anything from elsewhere."""
