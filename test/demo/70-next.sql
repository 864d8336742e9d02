\echo
\echo 'NEXT    your own log: make demo LOG=/path/to/access.log'
\echo '        statements to paste: README.md, doc/recipes.md; rollups: doc/rollups.md'
