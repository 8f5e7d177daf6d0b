/** Every name of this machine; what is left of the address decides. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * Whether two addresses lead to one node: the same host, port and path, however each is written. Users, passwords and
 * queries are left out, because two keys of one provider are still one provider.
 */
export function sameEndpoint(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && placeOf(a) === placeOf(b))
}

/** URL parsing has lower-cased the host and dropped the port where it is the scheme's own. */
function placeOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const host = loopback.test(hostname) ? 'localhost' : hostname.replace(/\.$/, '')
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, '')}`
}
