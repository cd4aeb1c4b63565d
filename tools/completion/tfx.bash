# Completion of tfx for bash: tfx itself says what may stand next ("tfx complete").
_tfx() {
  local -a words=()
  local i word current line
  # ":" and "=" cut words in COMP_WORDS: join them again. A blank before the cursor starts a new word all the same.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == [:=]* || ${words[-1]} == *[:=] ]] &&
      ! [[ -z $word && ${COMP_LINE:COMP_POINT-1:1} == ' ' ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${words[-1]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      @file | @folder)
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$([[ $line == @file ]] && echo -f || echo -d)" -- "${current#--*=}")
        ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$1" complete -- "${words[@]}" 2>/dev/null)
  # Readline replaces only what follows the last ":" or "=".
  if [[ $current == *[:=]* && $COMP_WORDBREAKS == *[:=]* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*[:=]}"}"}")
  fi
}

complete -F _tfx tfx
