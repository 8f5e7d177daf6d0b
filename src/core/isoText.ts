/** An instant as it goes out as JSON, in UTC. */
export const isoText = (at: number): string => new Date(at).toISOString()

/** The same without its fraction: `2026-11-29T09:30:00Z`. */
export const toSecond = (iso: string): string => `${iso.slice(0, 19)}Z`
