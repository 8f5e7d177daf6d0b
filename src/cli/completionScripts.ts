/** An option as it is typed, and the words that may follow it: undefined where it takes no value, none where any will do. */
export type OptionWords = {
  readonly name: string
  readonly summary: string
  readonly values: readonly string[] | undefined
}

/** What may be typed after some words of a command line. */
export type CommandWords = {
  /** `config show`; empty before the command. */
  readonly path: string
  /** Commands below it, or the fixed words that it takes. */
  readonly words: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly OptionWords[]
}

/** The script of each shell. Names are words of our own: only summaries need quoting. */
export const completionScripts = { bash, fish, zsh }

const spaced = (words: readonly { readonly name: string }[]) =>
  words.map(({ name }) => name).join(' ')

/** The branches of both shells of the Bourne family: what may follow which words. */
function branches(table: readonly CommandWords[]): string {
  return table
    .toReversed()
    .map(({ path, words, options }) => {
      const pattern = path === '' ? '*' : `'${path}'|'${path} '*`
      const values = options.flatMap(({ name, values }) =>
        values === undefined ? [] : [`        ${name}) offer='${values.join(' ')}' ;;`],
      )
      const all = `        *) offer='${[spaced(words), spaced(options)].join(' ').trim()}' ;;`
      return [`    ${pattern})`, '      case "$before" in', ...values, all, '      esac ;;'].join(
        '\n',
      )
    })
    .join('\n')
}

/** The words that are no options, of all before the one that is typed. */
const pathLoop = (
  first: number,
  end: string,
  at: string,
) => `  for ((i = ${first}; i < ${end}; i++)); do
    case "${at}" in
      --config|--wallet) i=$((i + 1)) ;;
      -*) ;;
      *) said="\${said:+$said }${at}" ;;
    esac
  done`

function bash(table: readonly CommandWords[]): string {
  return `_ballast() {
  local i said='' offer='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
${pathLoop(1, 'COMP_CWORD', '$' + '{COMP_WORDS[i]}')}
  case "$said" in
${branches(table)}
  esac
  COMPREPLY=($(compgen -W "$offer" -- "$current"))
}
complete -o default -F _ballast ballast`
}

function zsh(table: readonly CommandWords[]): string {
  return `#compdef ballast
_ballast() {
  local i at=$CURRENT said='' offer='' before="\${words[CURRENT-1]}"
  local -a typed=("\${words[@]}")
${pathLoop(2, 'at', '$' + '{typed[i]}')}
  case "$said" in
${branches(table)}
  esac
  if [[ -n $offer ]]; then compadd -- \${=offer}; else _files; fi
}
compdef _ballast ballast`
}

function fish(table: readonly CommandWords[]): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = table.flatMap(({ path, words, options }) => {
    const parts = path.split(' ').filter((part) => part !== '')
    const below =
      path === '' || words.length === 0
        ? ''
        : `; and not __fish_seen_subcommand_from ${spaced(words)}`
    const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ')
    const when = path === '' ? '__fish_use_subcommand' : seen
    return [
      ...words.map(
        ({ name, summary }) =>
          `complete -c ballast -n '${when}${below}' -f -a ${name} -d ${quoted(summary)}`,
      ),
      ...options.map(({ name, summary, values }) => {
        const takes =
          values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`
        return `complete -c ballast -n '${when}' -l ${name.slice(2)}${takes} -d ${quoted(summary)}`
      }),
    ]
  })
  return lines.join('\n')
}
