type Mode = {
  /** The keys this mode cannot do without. */
  readonly needs: readonly string[]
  /** The other keys that mean something to it. */
  readonly takes: readonly string[]
}

type Rule<params> = (params: params) => string | undefined

/**
 * A rule for a key that only some modes of a strategy know. A key that has no effect is refused like a missing one: its
 * writer expects something of it. `rule` is called where the key has an effect.
 */
export function modeRules<params extends object>(
  modes: Readonly<Record<string, Mode>>,
  modeOf: (params: params) => string,
): (key: keyof params & string, rule?: Rule<params>) => Rule<params> {
  return (key, rule) => (params) => {
    const mode = modeOf(params)
    const needed = modes[mode]?.needs.includes(key) === true
    if (params[key] === undefined) return needed ? `is missing: ${mode} needs it.` : undefined
    if (needed || modes[mode]?.takes.includes(key) === true) return rule?.(params)
    return `has no effect with ${mode}: leave it out.`
  }
}
