"""A customer list for Django's admin."""
