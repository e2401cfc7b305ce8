# Readline breaks words at '=', '@' and ':', and replaces the last piece alone: here the words are those of the shell again,
# '--option=value' is an option and its value, and '@' in front of a value is not part of a file's name.
_PROGRAM_words() {
    local IFS=$' \t\n' rest="${COMP_LINE:0:COMP_POINT}" piece bare words=()
    for piece in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        bare="${rest#"${rest%%[![:space:]]*}"}"
        if [[ ${#words[@]} -eq 0 || ${#bare} -lt ${#rest} ]]; then
            words+=("")
        fi
        rest="${bare#"$piece"}"
        words[${#words[@]}-1]+="${bare:0:${#bare}-${#rest}}"
        # The word goes on behind the cursor.
        if [[ $rest == "$bare" && $piece != "" ]]; then
            words[${#words[@]}-1]+="$bare"
        fi
    done
    local word="${words[${#words[@]}-1]}" option="${words[${#words[@]}-2]}" before=""
    local value="$word"
    if [[ $word == --?*=* ]]; then
        option="${word%%=*}" before="${word%%=*}=" value="${word#*=}"
        words[${#words[@]}-1]="$option"
        words+=("$value")
    fi
    COMPREPLY=()
    # Two blanks between words, so that each has its own on both sides.
    local ahead="${words[*]:0:${#words[@]}-1}"
    case " ${ahead// /  } ,$option" in
        READERS)
            _PROGRAM_at "$value"
            ;;
        *)
            local COMP_CWORD=$((${#words[@]} - 1)) COMP_WORDS=("${words[@]}")
            _PROGRAM "$1" "$value" "$option"
            ;;
    esac
    # What readline keeps of the word, it must not get again.
    local kept="${word%"$2"}" i
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]="$before${COMPREPLY[i]}"
        COMPREPLY[i]="${COMPREPLY[i]#"$kept"}"
    done
}

# A value that is '@' and a file, or anything else.
_PROGRAM_at() {
    local path
    if [[ $1 != @* ]]; then
        COMPREPLY=("$1")
        [[ ${BASH_VERSINFO[0]} -ge 4 ]] && compopt -o nospace
        return
    fi
    # Readline would quote the '@' with the rest.
    while IFS= read -r path; do
        [[ -d $path ]] && path+=/
        printf -v path %q "$path"
        COMPREPLY+=("@$path")
    done < <(compgen -f -- "${1#@}")
    [[ ${BASH_VERSINFO[0]} -ge 4 && ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
