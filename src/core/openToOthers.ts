/** What the system says of a file: who owns it, and who may do what with it. */
type Status = { readonly mode: number; readonly uid: number }

/**
 * Whether other accounts may read or write a private file. `own` is the account that reads it; undefined on Windows, which
 * has no such mode.
 *
 * A file of another owner may be readable for its group: that is the only way in which its owner hands it to this account.
 * A mounted secret of Kubernetes is one: it belongs to root, and the group is that of the pod.
 */
export function openToOthers({ mode, uid }: Status, own = process.getuid?.()): boolean {
  if (own === undefined) return false
  const open = mode & 0o077
  const isHandedOver = own !== 0 && uid !== own && open === 0o040
  return open !== 0 && !isHandedOver
}
