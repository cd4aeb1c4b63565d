# The members of the JSON documents on standard input, one token a line, in the order in which they come: "tensors[].name<tab>text".
# A list of lists is one list. Of an object whose members are named by what it holds (`open`: "facts, metadata") they stand under
# "*". What is within its like, as a module's children and a cell's sources, has the members of the outer one.
BEGIN {
  count = split(open, names, ", ")
  for (i = 1; i <= count; ++i) is_open[names[i]] = 1
}

# The name of the value that comes next.
function place(   above) {
  if (!depth) return ""
  above = path[depth]
  if (kinds[depth] == "object") return (above == "" ? "" : above ".") key[depth]
  if (above !~ /\[\]$/) above = above "[]"
  if (match(above, /\.children\[\]$/) || match(above, /\.sources\[\]$/)) return substr(above, 1, RSTART - 1)
  return above
}

function note(name, type) {
  if (name == "" || name ~ /^(schema_version|command)$/) return
  if (!(name in types)) order[++found] = name
  if (index(" or " types[name] " or ", " or " type " or ")) return
  types[name] = types[name] (types[name] == "" || type == "" ? "" : " or ") type
}

function enter(kind,   name) {
  name = place()
  if (kind == "object") note(name, "object")
  if (kind == "list" && name !~ /\[\]$/) note(name "[]", "")
  kinds[++depth] = kind
  path[depth] = name
  expects_key = kind == "object"
}

$0 == "{" { enter("object"); next }
$0 == "[" { enter("list"); next }
$0 == "}" || $0 == "]" { depth--; expects_key = 0; next }
$0 == "," { expects_key = kinds[depth] == "object"; next }
$0 == ":" { expects_key = 0; next }
expects_key {
  within = path[depth]
  sub(/^.*\./, "", within)
  key[depth] = within in is_open ? "*" : substr($0, 2, length($0) - 2)
  next
}
/^"(NaN|-?Infinity)"$/ { note(place(), "number"); next }
/^"/ { note(place(), "text"); next }
$0 == "null" { note(place(), "null"); next }
/^(true|false)$/ { note(place(), "boolean"); next }
{ note(place(), "number") }

# Of a list that was always empty nothing more is known.
END { for (i = 1; i <= found; ++i) print order[i] "\t" (types[order[i]] == "" ? "list" : types[order[i]]) }
