# install_script.awk - makes the install script of the .sql files in src/pg, where each object is
# declared once.
#
# A declaration is a line that begins with one of the words below, at the left margin. It goes on in
# lines indented by 8; the lines after it that are indented by 4 are its COMMENT, in plain words:
#
#     function hll_add(sketch hll, value text) -> hll  as sketches_hll_add not strict
#         the sketch with the value added; hashed by the sketch's own hash function
#
# becomes CREATE FUNCTION, and COMMENT ON FUNCTION hll_add(hll, text). Declarations of one kind in a
# row, as of a function for several types, may share the comment below the last of them. Everything
# else is SQL as it is, such as CREATE TYPE, and goes through unchanged. Names are written whole, so
# that grep finds an object and its C function here by the names that the database shows.
#
#   function NAME(ARGUMENTS) [-> RESULT] [ATTRIBUTES]
#       An argument is [INOUT | OUT | VARIADIC] [name] type [= default]; where there are two words,
#       the first is the name. No RESULT: a record of the OUT arguments; "setof record": many.
#       as SYMBOL            the C function; as internal SYMBOL: one of PostgreSQL's own
#       cost N               100 if none is given
#       not strict           called for NULL arguments, too
#       stable, volatile, parallel unsafe    instead of immutable, parallel safe
#       rows N, support FUNCTION             as in CREATE FUNCTION
#       cast, implicit cast                  of the first argument's type to RESULT, too
#   transition NAME(STATE, ARGUMENTS) [ATTRIBUTES]
#       a function that returns its first argument's type, cost 1 and not strict, as the state
#       functions of aggregates are. strict: NULL is skipped.
#   aggregate NAME(ARGUMENTS) state TYPE space N by F combine F [final F]
#           [moving F INVERSE FINAL [extra]]
#       by: its state function. moving: the functions over sliding windows; extra: the final
#       one has the arguments of the aggregate, too.
#   operator [TYPE] OP TYPE by FUNCTION [OPTIONS]
#       OPTIONS are those of CREATE OPERATOR: commutator =, hashes, ...
#   cast TYPE -> TYPE without function [assignment]
#   cast TYPE -> TYPE by FUNCTION[(TYPE)] [implicit | assignment]
#       a cast whose function has another comment, or is of another type
#
#   include FILE: NAME=VALUE; NAME=VALUE
#       the lines of FILE, a path below src/pg, with VALUE for each @NAME@. A line that ends in a
#       semicolon goes on in the next. FILE may begin with lines "default NAME=VALUE" for names that
#       are left out. It is an error if an @NAME@ gets no value, or FILE does not use a NAME. No
#       FILE.in may stand beside a FILE: PGXS would make the second of the first.
#
# awk -v root=src/pg -f install_script.awk SCRIPT...

function fail(why) {
    print FILENAME ": " why > "/dev/stderr"
    failed = 1
    exit 1
}

# ---- what is written -----------------------------------------------------------------------------

# Never two empty lines in a row. What comes from another file than the lines before says so.
function write(line) {
    if (line != "" && source != said) {
        said = source
        write("")
        write("-- from src/pg" substr(source, length(root) + 1))
        write("")
    }
    if (line != "" || !empty)
        print line
    empty = line == ""
}

function write_comment(object,    says) {
    says = comment
    if (says == "")
        fail("no comment for " object)
    gsub(/'/, "''", says)
    write("COMMENT ON " object " IS '" says "';")
}

# ---- words of a declaration ----------------------------------------------------------------------

# The next word of `rest`, "" at its end.
function word(    result) {
    sub(/^ +/, "", rest)
    result = rest
    sub(/ .*/, "", result)
    rest = substr(rest, length(result) + 1)
    return result
}

# Whether `rest` goes on with these words, which are taken.
function goes_on(words) {
    sub(/^ +/, "", rest)
    if (rest != words && index(rest, words " ") != 1)
        return 0
    rest = substr(rest, length(words) + 1)
    return 1
}

# Takes NAME(ARGUMENTS): sets name, arguments as CREATE has them and signature as COMMENT has them.
function take_call(    depth, quoted, i, c, from) {
    sub(/^ +/, "", rest)
    name = rest
    sub(/\(.*/, "", name)
    arguments = signature = first_type = ""
    has_out = 0
    from = length(name) + 2
    for (i = from; i <= length(rest); i++) {
        c = substr(rest, i, 1)
        if (c == "'")
            quoted = !quoted
        if (quoted)
            continue
        if (depth == 0 && (c == "," || c == ")")) {
            take_argument(substr(rest, from, i - from))
            from = i + 1
            if (c == ")")
                break
        }
        depth += (c == "(") - (c == ")")
    }
    if (i > length(rest))
        fail("no ) in " rest)
    rest = substr(rest, i + 1)
}

function take_argument(text,    mode, type, value) {
    sub(/^ +/, "", text)
    if (text == "")
        return
    if (match(text, / = /)) {
        value = " DEFAULT " substr(text, RSTART + 3)
        text = substr(text, 1, RSTART - 1)
    }
    arguments = arguments (arguments == "" ? "" : ", ") text value
    if (match(text, /^(INOUT|OUT|VARIADIC) /)) {
        mode = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    }
    has_out = has_out || mode ~ /OUT/
    if (mode == "OUT ")
        return
    type = text
    if (type ~ / /)
        sub(/^[^ ]+ /, "", type)
    if (first_type == "")
        first_type = type
    signature = signature (signature == "" ? "" : ", ") (mode == "VARIADIC " ? mode : "") type
}

# ---- functions -----------------------------------------------------------------------------------

# Takes the attributes of a function: sets result, and what CREATE FUNCTION says of it.
function take_attributes(cost, strict,    w, symbol, language, volatility, parallel, more) {
    result = has_out ? "record" : ""
    volatility = " IMMUTABLE"
    parallel = " PARALLEL SAFE"
    language = "C"
    casts = ""
    while ((w = word()) != "") {
        if (w == "->")
            result = (goes_on("setof") ? "SETOF " : "") word()
        else if (w == "as") {
            if (goes_on("internal"))
                language = "internal"
            symbol = word()
        } else if (w == "cost")
            cost = word()
        else if (w == "rows")
            more = more " ROWS " word()
        else if (w == "support")
            more = more " SUPPORT " word()
        else if (w == "strict")
            strict = " STRICT"
        else if (w == "not" && goes_on("strict"))
            strict = ""
        else if (w == "stable" || w == "volatile")
            volatility = " " toupper(w)
        else if (w == "parallel")
            parallel = " PARALLEL " toupper(word())
        else if (w == "cast")
            casts = " "
        else if (w == "implicit" && goes_on("cast"))
            casts = " AS IMPLICIT"
        else
            fail("what is " w " of " name "?")
    }
    if (symbol == "")
        fail("which C function is " name "?")
    attributes = "AS " (language == "C" ? "'MODULE_PATHNAME', " : "") "'" symbol "' LANGUAGE " \
        language volatility strict parallel (cost == 1 ? "" : " COST " cost) more
}

function write_function() {
    if (result == "")
        fail("no result of " name)
    write("CREATE FUNCTION " name "(" arguments ") RETURNS " result)
    write("    " attributes ";")
    write_comment("FUNCTION " name "(" signature ")")
    if (casts == "")
        return
    sub(/ $/, "", casts)
    write_cast(first_type, result, "WITH FUNCTION " name "(" signature ")" casts)
}

function write_transition() {
    take_call()
    take_attributes(1, "")
    result = first_type
    write_function()
}

# ---- aggregates, operators, casts ----------------------------------------------------------------

function write_aggregate(    w, given, moving) {
    take_call()
    while ((w = word()) != "") {
        if (w == "moving") {
            moving = "    MSFUNC = " word()
            moving = moving ", MINVFUNC = " word()
            moving = moving ", MSTYPE = internal, MSSPACE = 65536,\n    MFINALFUNC = " word()
            if (goes_on("extra"))
                moving = moving ", MFINALFUNC_EXTRA"
        } else if (w ~ /^(state|space|by|combine|final)$/)
            given[w] = word()
        else
            fail("what is " w " of " name "?")
    }
    if (!("state" in given && "space" in given && "by" in given && "combine" in given))
        fail("what is the state of " name ", and by what does it change?")
    write("CREATE AGGREGATE " name "(" arguments ") (")
    write("    SFUNC = " given["by"] ", STYPE = " given["state"] ", SSPACE = " given["space"] "," \
          ("final" in given ? " FINALFUNC = " given["final"] "," : ""))
    write("    COMBINEFUNC = " given["combine"] ", PARALLEL = SAFE" (moving == "" ? "" : ","))
    if (moving != "")
        write(moving)
    write(");")
    write_comment("AGGREGATE " name "(" signature ")")
}

function write_operator(    left, op, right, function_name, options, w, i, needs_value) {
    left = word()
    op = word()
    if (goes_on("by")) {
        right = op
        op = left
        left = ""
    } else {
        right = word()
        if (word() != "by")
            fail("by which function is " op "?")
    }
    function_name = word()
    while ((w = word()) != "")
        options = options ", " toupper(w) (w ~ /^(hashes|merges)$/ ? "" : " = " word())
    write("CREATE OPERATOR " op " (")
    write("    " (left == "" ? "" : "LEFTARG = " left ", ") "RIGHTARG = " right ", FUNCTION = " \
          function_name options)
    write(");")
    write_comment("OPERATOR " op "(" (left == "" ? "NONE" : left) ", " right ")")
}

function write_cast(from, to, how) {
    write("CREATE CAST (" from " AS " to ") " how ";")
    write_comment("CAST (" from " AS " to ")")
}

function write_plain_cast(    from, to, how) {
    from = word()
    if (word() != "->")
        fail("a cast from " from " to what?")
    to = word()
    if (goes_on("without function"))
        how = "WITHOUT FUNCTION"
    else if (goes_on("by")) {
        how = "WITH FUNCTION " word()
        if (how !~ /\(/)
            how = how "(" from ")"
    }
    if (goes_on("implicit"))
        how = how " AS IMPLICIT"
    else if (goes_on("assignment"))
        how = how " AS ASSIGNMENT"
    if (how == "" || word() != "")
        fail("how is " from " cast to " to "?")
    write_cast(from, to, how)
}

# ---- lines ---------------------------------------------------------------------------------------

# Ends the declaration that was read, if there is one. Without a comment it waits for that of the
# next one.
function finish(    says, n) {
    if (declared == "")
        return
    waiting[++waits] = declared
    says = described
    declared = described = ""
    if (says == "")
        return
    for (n = 1; n <= waits; n++)
        write_declaration(waiting[n], says)
    waits = 0
}

# Ends a row of declarations, of which the last has a comment.
function finish_all() {
    finish()
    if (waits)
        fail("no comment for " waiting[waits])
}

function write_declaration(text, says,    kind) {
    if (text says ~ /@[A-Z]+@/)
        fail("no value for " text)
    rest = text
    comment = says
    kind = word()
    if (index(waiting[waits], kind " ") != 1)
        fail("no comment for " text)
    if (kind == "function") {
        take_call()
        take_attributes(100, " STRICT")
        write_function()
    } else if (kind == "transition")
        write_transition()
    else if (kind == "aggregate")
        write_aggregate()
    else if (kind == "operator")
        write_operator()
    else
        write_plain_cast()
    write("")
}

# One line, or the file that it includes. `text` is a copy.
function put(text,    file, parameters, parent) {
    if (begun != "") {
        sub(/^ */, " ", text)
        text = begun text
        begun = ""
    } else if (declared != "" && text ~ /^    /) {
        if (text ~ /^        /) {
            sub(/^ +/, " ", text)
            declared = declared text
        } else {
            sub(/^ +/, described == "" ? "" : " ", text)
            described = described text
        }
        return
    }
    if (text ~ DECLARATION) {
        finish()
        declared = text
        return
    }
    finish_all()
    if (text ~ /@[A-Z]+@/)
        fail("no value for " text)
    if (text ~ /^include /) {
        if (text ~ /;$/) {
            begun = text
            return
        }
        file = parameters = text
        sub(/^include /, "", file)
        sub(/:.*/, "", file)
        if (!sub(/^[^:]*: */, "", parameters))
            parameters = ""
        parent = source
        source = root "/" file
        include(source, parameters)
        finish_all()
        source = parent
    } else if (text ~ /^-- (include|default) /)
        fail("without -- before it: " text)
    else if (text ~ /^[a-z]/)
        fail("no declaration: " text)
    else
        write(text)
}

function include(file, parameters,    line, pairs, count, i, name, used, status) {
    count = split(parameters, pairs, /; */)
    while ((status = (getline line < file)) > 0) {
        for (i = 1; i <= count; i++) {
            name = pairs[i]
            sub(/=.*/, "", name)
            used[name] += gsub("@" name "@", substr(pairs[i], length(name) + 2), line)
        }
        if (line !~ /^default /) {
            put(line)
            continue
        }
        sub(/^default /, "", line)
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

BEGIN { DECLARATION = "^(function|transition|aggregate|operator|cast) " }

FNR == 1 {
    finish_all()
    source = FILENAME
}

{ put($0) }

END {
    if (!failed)
        finish_all()
    exit failed
}
