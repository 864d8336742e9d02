-- Where to go next.

\echo 'NEXT    your own log        make demo LOG=/path/to/access.log (common or combined format, plain or gzip)'
\echo '        five minutes        README.md, statements to paste into psql'
\echo '        whole statements    doc/recipes.md'
\echo '        every function      doc/reference/README.md'
