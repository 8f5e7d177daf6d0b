/** A name or address of this machine, as a URL writes it: what is sent there leaves no machine. */
export const isLoopback = (hostname: string) =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/**
 * The party behind an address. On this machine a port is a party of its own, because no stranger can listen there;
 * elsewhere all ports and paths of a host are one party.
 */
export function hostOf(url: string): string {
  // A mask, or a name that a test gives.
  if (!URL.canParse(url)) return url
  const { protocol, port } = new URL(url)
  const name = hostNameOf(url)
  return name === 'localhost' ? `localhost:${port || (protocol === 'https:' ? '443' : '80')}` : name
}

/** The host of an address in one spelling: every name of this machine is `localhost`. */
export function hostNameOf(url: string): string {
  // URL parsing has lower-cased it.
  const { hostname } = new URL(url)
  return isLoopback(hostname) ? 'localhost' : hostname.replace(/\.$/, '')
}
