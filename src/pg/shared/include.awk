# include.awk - prints type scripts, with what they share written out.
#
# A line
#     -- include FILE: NAME=VALUE; NAME=VALUE
# becomes the lines of FILE, a path below src/pg, with VALUE for each @NAME@. A line that ends in a
# semicolon goes on in the next. FILE may include others, and may begin with lines
#     -- default NAME=VALUE
# for the names that the call leaves out; VALUE may use the names before it. An @NAME@ that gets no
# value is an error, and so is a name that FILE does not use. No FILE.in may stand beside a FILE:
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
    if (begun != "") {
        sub(/^-- */, " ", text)
        text = begun text
        begun = ""
    }
    if (text !~ /^-- include /) {
        if (text ~ /@[A-Z]+@/)
            fail("no value for " text)
        print text
        return
    }
    if (text ~ /;$/) {
        begun = text
        return
    }
    file = parameters = text
    sub(/^-- include /, "", file)
    sub(/:.*/, "", file)
    if (!sub(/^[^:]*: */, "", parameters))
        parameters = ""
    include(root "/" file, parameters)
}

function include(file, parameters,    line, pairs, count, i, name, used, status) {
    count = split(parameters, pairs, /; */)
    while ((status = (getline line < file)) > 0) {
        for (i = 1; i <= count; i++) {
            name = pairs[i]
            sub(/=.*/, "", name)
            used[name] += gsub("@" name "@", substr(pairs[i], length(name) + 2), line)
        }
        if (line !~ /^-- default /) {
            put(line)
            continue
        }
        sub(/^-- default /, "", line)
        name = line
        sub(/=.*/, "", name)
        if (name in used)
            used[name]++
        else
            pairs[++count] = line
    }
    if (status < 0)
        fail("cannot read " file)
    close(file)
    for (name in used)
        if (!used[name])
            fail(file " has no @" name "@")
}

FNR == 1 { print "" }

{ put($0) }

END { exit failed }
