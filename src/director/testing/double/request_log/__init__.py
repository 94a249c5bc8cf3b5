"""The double's books: what each request took in, what caches gave of it, what it cost."""
