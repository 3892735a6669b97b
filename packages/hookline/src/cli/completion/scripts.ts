import type { SHELLS } from "../../start/commands.ts";

const BASH = `# hookline in bash. In ~/.bashrc: source <(hookline completion bash)
_hookline() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() word cut answer
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  while [[ \${#words[@]} -gt 1 && \${words[0]##*/} != "\${1##*/}" ]]; do words=("\${words[@]:1}"); done
  local current=\${words[\${#words[@]}-1]}
  # bash begins a word of its own behind : and =, so what stands before them is not part of the answer.
  cut=\${current%"\${current##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    case $word in
      :file | :folder)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $word == :folder ]] && kind=-d
        while IFS= read -r answer; do COMPREPLY+=("$answer"); done < <(compgen $kind -- "\${current#"$cut"}")
        ;;
      *)
        COMPREPLY+=("$(printf %q "\${word#"$cut"}")")
        ;;
    esac
  done < <("$1" completion words -- "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -F _hookline hookline
`;

const ZSH = `#compdef hookline
# hookline in zsh. In ~/.zshrc, after compinit: source <(hookline completion zsh)
_hookline() {
  local -a found
  local line
  for line in "\${(@f)$("\${(Q)words[1]}" completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    case $line in
      "") ;;
      :file) _files ;;
      :folder) _files -/ ;;
      *$'\\t'*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      *) found+=("\${line//:/\\\\:}") ;;
    esac
  done
  if (( \${#found} )); then _describe hookline found; fi
}
compdef _hookline hookline
`;

const FISH = `# hookline in fish: hookline completion fish > ~/.config/fish/completions/hookline.fish
function __hookline_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] completion words -- $words[2..-1] 2>/dev/null </dev/null)
    switch $line
      case :file
        __fish_complete_path (commandline -ct)
      case :folder
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c hookline -f -a '(__hookline_complete)'
`;

/** The scripts that shells load. They contain no commands or options, but ask hookline for completions. */
export const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = { bash: BASH, zsh: ZSH, fish: FISH };
