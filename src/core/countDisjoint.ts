/** The number of lists that share no member with one before them: one source in two is one opinion. */
export function countDisjoint(lists: readonly (readonly string[])[]): number {
  const used = new Set<string>()
  return lists.filter((members) => {
    if (members.some((member) => used.has(member))) return false
    for (const member of members) used.add(member)
    return true
  }).length
}
