-- Results without padding and row counts: a value that changes changes its own line of a diff and no
-- other, and how wide a character is, about which versions of psql differ, does not show.
\pset format unaligned
\pset footer off
