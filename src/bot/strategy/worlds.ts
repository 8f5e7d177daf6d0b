type World = {
  /** Of the promises of this world: another than that of the bot's own. */
  readonly prototype: object
  readonly file: string
}

/** A process reads each file once. */
const worlds: World[] = []

/** Remembers the world in which the file of a strategy runs. */
export function noteWorld(world: World): void {
  worlds.push(world)
}

/** The file of the strategy that made a promise; undefined where it is one of the bot's own. */
export const fileOfPromise = (promise: Promise<unknown>): string | undefined =>
  worlds.find(({ prototype }) => Object.prototype.isPrototypeOf.call(prototype, promise))?.file
