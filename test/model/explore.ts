import { type NextStep, next } from '../../src/bot/next.ts'
import {
  beginning,
  deadline,
  ended,
  heightMax,
  keyOf,
  type Look,
  look,
  minable,
  mine,
  perform,
  situationOf,
  takeBack,
  textOf,
  usedBy,
  type World,
} from './world.ts'

/** A decision table, with its looks; the real one, or one that has a fault. */
export type Bot = {
  readonly decide: typeof next
  /** Whether the endpoint may deny the swap. A second one, the witness, is honest. */
  readonly isDenied?: boolean
  readonly hasWitness?: boolean
  /** Whether an end without the swap is looked at again. */
  readonly confirms?: boolean
  /** Blocks behind the head that are believed. */
  readonly believes?: number
}

/** What a run begins with, and how often the chain may change its mind. */
export type Scope = {
  readonly first: 'SIGNED' | 'APPROVING'
  readonly reorganisations: number
  /** Worlds with the same key are gone through once. */
  readonly identify?: (world: World) => Key
}
type Key = number | string

/** What the bot decides by, with an honest endpoint and no witness. */
export const real: Bot = { decide: next }

/** A fair world ends a swap within so many steps. */
const fairSteps = 80

/** What a run came to: the worlds it saw, how they ended, and the first that breaks a rule, with the way to it. */
export type Explored = {
  readonly worlds: number
  readonly ends: Readonly<Record<string, number>>
  readonly broken: string | undefined
}

/**
 * Goes through every world that can be reached, in breadth: blocks with and without each transaction, at two base fees;
 * reorganisations of any depth that is not final; a stranger; broadcasts that are lost, answered and not, or cut off by a
 * death; looks that are torn by a block or a reorganisation, that lag, and that lie. Each is held to the rules, and must end
 * once the world is fair.
 */
export function explore(bot: Bot, { first, reorganisations, identify = keyOf }: Scope): Explored {
  const start = beginning(first)
  const from = new Map<Key, Key | undefined>([[identify(start), undefined]])
  const ends: Record<string, number> = {}
  const fair = new Set<Key>()
  let layer: readonly World[] = [start]
  const wayTo = (broken: Key) => {
    const keys: Key[] = []
    for (let at: Key | undefined = broken; at !== undefined; at = from.get(at)) keys.unshift(at)
    let world = start
    const way = keys.slice(1).map((key) => {
      const later = successorsOf(world, { bot, reorganisations })
      world = later.find((one) => identify(one) === key) ?? world
      return textOf(world)
    })
    return [textOf(start), ...way].join('\n')
  }
  const result = (broken?: string): Explored => ({ worlds: from.size, ends, broken })
  while (layer.length > 0) {
    const later: World[] = []
    for (const world of layer) {
      const before = identify(world)
      for (const reached of successorsOf(world, { bot, reorganisations })) {
        const key = identify(reached)
        if (from.has(key)) continue
        from.set(key, before)
        const complaint = breakOf(reached) ?? standstillOf(reached, { bot, fair, identify })
        if (complaint !== undefined) return result(`${complaint}\n${wayTo(key)}`)
        if (ended(reached)) ends[reached.journal.state] = (ends[reached.journal.state] ?? 0) + 1
        else later.push(reached)
      }
    }
    layer = later
  }
  return result()
}

function successorsOf(
  world: World,
  { bot, reorganisations }: { bot: Bot; reorganisations: number },
): readonly World[] {
  const changed = movesOf(world, reorganisations)
  const looks: readonly Look[] = [
    { later: world },
    ...changed.map((later) => ({ later })),
    { later: world, isIndexBehind: true },
    ...(bot.isDenied === true ? [{ later: world, isDenied: true }] : []),
  ]
  return [...changed, ...looks.flatMap((one) => actOn(world, one, bot))]
}

/** What the world does by itself. */
function movesOf(world: World, reorganisationsMax: number): readonly World[] {
  const { chain, final, reorganisations } = world
  const mined =
    chain.length < heightMax
      ? [1, 2].flatMap((baseFee) =>
          minable(world, baseFee).map((tx) => mine(world, { tx, baseFee })),
        )
      : []
  if (reorganisations === reorganisationsMax) return mined
  const depths = Array.from({ length: chain.length - Math.max(final, 0) }, (_, index) => index + 1)
  return [
    ...mined,
    ...depths.flatMap((blocks) =>
      [false, true].map((forgets) => takeBack(world, { blocks, forgets })),
    ),
  ]
}

/** One turn of the bot: it looks, decides, looks again where that ends something, and acts in the world as it is by then. */
function actOn(world: World, first: Look, bot: Bot): readonly World[] {
  const { decide, believes } = bot
  const at = believes === undefined ? {} : { at: believes }
  const situation = situationOf(world)
  const seen = look(world, { ...first, ...at })
  const step = decide(situation, seen)
  const now = { ...first.later, journal: world.journal }
  if (!isDeath(step) || bot.confirms === false) return perform(step, now)
  const again = [
    ...(step.do === 'displace' ? [{ later: now, isDenied: first.isDenied === true }] : []),
    ...(bot.hasWitness === true ? [{ later: now }] : []),
  ].map((one) => decide(situation, look(now, { ...one, ...at })))
  if (again.every((other) => nameOf(other) === nameOf(step))) return perform(step, now)
  // An approval that one look alone shows as gone goes on with the rest of that look; a swap waits.
  return situation.state === 'APPROVING'
    ? perform(decide(situation, { ...seen, deepNonce: undefined }), now)
    : [now]
}

const isDeath = (step: NextStep) =>
  step.do === 'displace' || (step.do === 'finish' && step.as !== 'SETTLED')

const nameOf = (step: NextStep) =>
  step.do === 'finish' ? `${step.as} ${step.receipt.hash} ${step.receipt.blockHash}` : step.do

/** What an end says of the chain must be so for ever. */
function breakOf(world: World): string | undefined {
  const { state } = world.journal
  const used = usedBy(world)
  const isFinal = used !== undefined && used.height <= world.final
  const isOwn = used?.tx.startsWith('own') === true
  const isIn = isOwn && used.height <= deadline
  const truths: Readonly<Record<string, boolean>> = {
    SETTLED: isFinal && isIn,
    REVERTED: isFinal && isOwn && !isIn,
    EXPIRED_DEAD: isFinal && used.tx.startsWith('cancel'),
    DISPLACED: isFinal && used.tx === 'stranger',
    APPROVED: isFinal && isOwn,
    GIVEN_UP: isFinal && used.tx === 'stranger',
  }
  return truths[state] === false ? `${state} is not so` : undefined
}

/** Whether the thing does not end although from here on nothing fails any more. */
function standstillOf(
  reached: World,
  { bot, fair, identify }: { bot: Bot; fair: Set<Key>; identify: (world: World) => Key },
): string | undefined {
  let world = reached
  let key = identify(world)
  const passed: Key[] = []
  for (let steps = 0; steps < fairSteps; steps += 1) {
    if (ended(world) || fair.has(key)) {
      for (const each of passed) fair.add(each)
      return undefined
    }
    passed.push(key)
    const [acted = world] = actOn(world, { later: world }, bot)
    const after = identify(acted)
    world = after === key ? mine(world, { tx: bestOf(world), baseFee: 1 }) : acted
    key = after === key ? identify(world) : after
  }
  return `${reached.journal.state} has no end`
}

const bestOf = (world: World) =>
  minable(world, 1).findLast((tx) => tx !== undefined && tx !== 'stranger')
