"""What the app shows, read from the store as plain values; nothing is changed or asked here."""
