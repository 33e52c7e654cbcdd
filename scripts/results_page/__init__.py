"""The page of results, from the committed rows to Markdown and figures."""
