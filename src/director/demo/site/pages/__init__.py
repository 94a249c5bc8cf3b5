"""The pages: each function takes a visit and gives a response. They decide nothing of HTTP."""
