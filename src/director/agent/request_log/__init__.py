"""Every request that was made: its record, its parts, and making it again."""
