/** An instant as it goes out as JSON, in UTC. */
export const isoText = (at: number): string => new Date(at).toISOString()
