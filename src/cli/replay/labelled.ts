/** Every line of a result that no market made says so: lines are cut out and passed on. */
export function labelled(source: 'recorded' | 'synthetic', text: string): string {
  if (source === 'recorded') return text
  return text
    .split('\n')
    .map((line) => `SYNTHETIC  ${line}`.trimEnd())
    .join('\n')
}
