"""A real browser through Playwright: sessions with named tabs, snapshots, locators, a guard."""
