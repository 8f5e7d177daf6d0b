/** What a changelog says of a version: its own section with what came after it, or what is unreleased while it has none. */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m).slice(1)
  const own = sections.findIndex((section) => section.startsWith(`## ${version}`))
  return `${sections
    .slice(0, own === -1 ? 1 : own + 1)
    .join('')
    .trim()}\n`
}
