-- Where to go next.

\echo
\echo 'NEXT    your own log: make demo LOG=/path/to/access.log (common or combined format, plain or gzip)'
\echo '        statements to paste: README.md, doc/recipes.md; every function: doc/reference/README.md'
