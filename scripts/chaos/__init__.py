"""Faults by a seed, over real workers, browsers, sites and databases, and a judge of what is left.

Nothing in here trusts the product: effects are counted by the site that received them, and the end
of a run is what the command line says of it.
"""
