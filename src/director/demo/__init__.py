"""What shows Director at work: a replayed agent run, and a site to practise workflows on.

The replay uses the public functions only and never writes a file or opens a connection; the site
(`director.demo.site`) listens on this machine only.
"""
