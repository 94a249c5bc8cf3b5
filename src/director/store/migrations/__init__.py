"""The migrations of the store, run by `director.store.store_opening`."""
