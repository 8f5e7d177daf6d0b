import type { CommandModule } from './command.ts'

/** A command as the list of `ballast --help` shows it; its file is loaded when it is the one called. */
export type CommandEntry = {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

/** Every command, in the order of `ballast --help`. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'market, bot and dashboard on this machine, nothing needed',
    load: () => import('./demo.ts'),
  },
  {
    name: 'sandbox',
    summary: 'the embedded market alone: chain, pools, makers, quoting service',
    load: () => import('./sandbox.ts'),
  },
  {
    name: 'service',
    summary: 'the quoting service alone, against the RPC and makers of service.yaml',
    load: () => import('./service.ts'),
  },
  {
    name: 'maker',
    summary: 'one market maker of its own, which quoting services ask for levels and signatures',
    load: () => import('./maker.ts'),
  },
  {
    name: 'chains',
    summary: 'the chains the quoting service supports',
    load: () => import('./chains.ts'),
  },
  {
    name: 'orderbook',
    summary: 'the price levels of every pair, or of one',
    load: () => import('./orderbook.ts'),
  },
  {
    name: 'quote',
    summary: 'what a sale would bring, indicative or firm',
    load: () => import('./quote.ts'),
  },
  {
    name: 'plan',
    summary: 'what the schedules will do, slot by slot, and which rule will stop them',
    load: () => import('./plan.ts'),
  },
  {
    name: 'dry-run',
    summary: 'every strategy once, up to the signature; needs no key',
    load: () => import('./dryRun.ts'),
  },
  {
    name: 'swap',
    summary: 'one swap by hand; a preview unless --live',
    load: () => import('./swap.ts'),
  },
  {
    name: 'run',
    summary: 'the unattended bot',
    load: () => import('./run.ts'),
  },
  {
    name: 'record',
    summary: 'tapes the market: order books, indicative quotes, heads',
    load: () => import('./record.ts'),
  },
  {
    name: 'replay',
    summary: 'the configured strategies over a recorded or synthetic tape',
    load: () => import('./replay.ts'),
  },
  {
    name: 'status',
    summary: 'wallet, strategies, swaps under way and locks, from the journal alone',
    load: () => import('./status.ts'),
  },
  {
    name: 'pause',
    summary: 'begins nothing new; what is signed is followed to its end',
    load: () => import('./pause.ts'),
  },
  {
    name: 'drain',
    summary: 'lets what has begun finish, begins nothing new, then the bot ends',
    load: () => import('./drain.ts'),
  },
  {
    name: 'halt',
    summary: 'signs and sends nothing any more, not even a cancellation',
    load: () => import('./halt.ts'),
  },
  {
    name: 'resume',
    summary: 'releases locks, once a person has looked',
    load: () => import('./resume.ts'),
  },
  {
    name: 'history',
    summary: 'what was decided and done, with the reasons',
    load: () => import('./history.ts'),
  },
  {
    name: 'explain',
    summary: 'why a decision was made or a swap ended as it did, with the numbers',
    load: () => import('./explain.ts'),
  },
  {
    name: 'report',
    summary: 'how well it traded: execution, rates, benchmarks, prediction against result',
    load: () => import('./report.ts'),
  },
  {
    name: 'export',
    summary: 'swaps, decisions, slots or the ledger as CSV or JSON',
    load: () => import('./export.ts'),
  },
  {
    name: 'reconcile',
    summary: 'compares the books with the chain, and says where they differ',
    load: () => import('./reconcile.ts'),
  },
  {
    name: 'key',
    summary: 'make, import, check the key of the wallet',
    load: () => import('./key.ts'),
  },
  {
    name: 'signer',
    summary: 'holds the key in a process of its own and signs within its own limits',
    load: () => import('./signer.ts'),
  },
  {
    name: 'audit',
    summary: 'proves that the log is what was written',
    load: () => import('./audit.ts'),
  },
  {
    name: 'config',
    summary: 'check, show, create the configuration',
    load: () => import('./config.ts'),
  },
  {
    name: 'doctor',
    summary: 'is everything in place to trade?',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'revoke',
    summary: 'takes back allowances that swaps left behind; a list unless --live',
    load: () => import('./revoke.ts'),
  },
  {
    name: 'drill',
    summary: 'lies to the bot in every known way, under your own policy',
    load: () => import('./drill.ts'),
  },
]
