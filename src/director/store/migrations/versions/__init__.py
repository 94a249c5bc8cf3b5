"""One file for each schema that was released; a released file is never altered."""
