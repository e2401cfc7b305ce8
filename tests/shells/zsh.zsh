# What zsh makes of a half-typed line: zsh -f zsh.zsh DIRECTORY-OF-SCRIPT ANSWER-FILE LINE
zmodload zsh/zpty zsh/datetime zsh/zselect
zpty -b shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep
report() { print -r -- \"\$BUFFER\" > $2; zle send-break }; zle -N report; bindkey '^X' report; : > $2.ready"
deadline=$(( EPOCHSECONDS + 60 ))
while [[ ! -e $2.ready ]] && (( EPOCHSECONDS < deadline )); do zpty -r -t shell junk || zselect -t 1; done
zpty -w -n shell "$3"$'\t\C-x'
while [[ ! -s $2 ]] && (( EPOCHSECONDS < deadline )); do zpty -r -t shell junk || zselect -t 1; done
zpty -d shell
cat $2
