# include.awk - prints type scripts, with what they share written out.
#
# A line
#     -- include FILE: NAME=VALUE; NAME=VALUE
# becomes the lines of FILE, a path below src/pg, with VALUE for each @NAME@. FILE may include
# others. A placeholder that nobody gave a value to is an error. No FILE.in may stand beside a FILE:
# PGXS would make the second of the first.
#
# awk -v root=src/pg -f include.awk SCRIPT...

function fail(why) {
    print FILENAME ": " why > "/dev/stderr"
    failed = 1
    exit 1
}

# One line, or the file that it includes. `text` is a copy.
function put(text,    file, parameters) {
    if (text !~ /^-- include /) {
        if (text ~ /@[A-Z]+@/)
            fail("no value for " text)
        print text
        return
    }
    file = parameters = text
    sub(/^-- include /, "", file)
    sub(/:.*/, "", file)
    sub(/^[^:]*: */, "", parameters)
    include(root "/" file, parameters)
}

function include(file, parameters,    line, pairs, count, i, equals, status) {
    count = split(parameters, pairs, /; */)
    while ((status = (getline line < file)) > 0) {
        for (i = 1; i <= count; i++) {
            equals = index(pairs[i], "=")
            gsub("@" substr(pairs[i], 1, equals - 1) "@", substr(pairs[i], equals + 1), line)
        }
        put(line)
    }
    if (status < 0)
        fail("cannot read " file)
    close(file)
}

FNR == 1 { print "" }

{ put($0) }

END { exit failed }
