import type { CommandModule } from './command.ts'

/** A command as the list of `ballast --help` shows it; its file is loaded when it is the one called. */
export type CommandEntry = {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

/** Every command, in the order of `ballast --help`. */
export const commands: readonly CommandEntry[] = [
  entry(
    'demo',
    'market, bot and dashboard on this machine, nothing needed',
    () => import('./demo.ts'),
  ),
  entry(
    'sandbox',
    'the embedded market alone: chain, pools, makers, quoting service',
    () => import('./sandbox.ts'),
  ),
  entry(
    'service',
    'the quoting service alone, against the RPC and makers of service.yaml',
    () => import('./service.ts'),
  ),
  entry(
    'maker',
    'one market maker of its own, which quoting services ask for levels and signatures',
    () => import('./maker.ts'),
  ),
  entry(
    'deploy',
    'router and executor onto a chain, with fee signer and makers; a preview unless --live',
    () => import('./deploy.ts'),
  ),
  entry('chains', 'the chains the quoting service supports', () => import('./chains.ts')),
  entry('orderbook', 'the price levels of every pair, or of one', () => import('./orderbook.ts')),
  entry('quote', 'what a sale would bring, indicative or firm', () => import('./quote.ts')),
  entry(
    'plan',
    'what the schedules will do, slot by slot, and which rule will stop them',
    () => import('./plan.ts'),
  ),
  entry(
    'dry-run',
    'every strategy once, up to the signature; needs no key',
    () => import('./dryRun.ts'),
  ),
  entry('swap', 'one swap by hand; a preview unless --live', () => import('./swap.ts')),
  entry('run', 'the unattended bot', () => import('./run.ts')),
  entry(
    'record',
    'tapes the market: order books, indicative quotes of what strategies watch, heads',
    () => import('./record.ts'),
  ),
  entry(
    'replay',
    'the configured strategies over a recorded or synthetic tape',
    () => import('./replay.ts'),
  ),
  entry(
    'status',
    'whether it runs, wallet, strategies, swaps and locks, from the journal alone',
    () => import('./status.ts'),
  ),
  entry(
    'pause',
    'begins nothing new; what is signed is followed to its end',
    () => import('./pause.ts'),
  ),
  entry(
    'drain',
    'lets what has begun finish, begins nothing new, then the bot ends',
    () => import('./drain.ts'),
  ),
  entry(
    'halt',
    'signs and sends nothing any more, not even a cancellation',
    () => import('./halt.ts'),
  ),
  entry(
    'backup',
    'copies the journal into a new file, also while the bot runs',
    () => import('./backup.ts'),
  ),
  entry('migrate', 'moves the journal to another database, proven', () => import('./migrate.ts')),
  entry(
    'archive',
    'moves old bodies of the journal into a signed archive, also while the bot runs',
    () => import('./archive.ts'),
  ),
  entry(
    'restore',
    'puts a backup in the place of the journal, and halts its wallet',
    () => import('./restore.ts'),
  ),
  entry(
    'recover',
    'books from the chain what a restored or new journal lacks',
    () => import('./recover.ts'),
  ),
  entry('resume', 'releases locks, once a person has looked', () => import('./resume.ts')),
  entry('history', 'what was decided and done, with the reasons', () => import('./history.ts')),
  entry(
    'explain',
    'why a decision was made or a swap ended as it did, with the numbers',
    () => import('./explain.ts'),
  ),
  entry(
    'report',
    'how well it traded: execution, rates, benchmarks, prediction against result',
    () => import('./report.ts'),
  ),
  entry(
    'export',
    'swaps, decisions, slots, the ledger, books or lots as CSV or JSON',
    () => import('./export.ts'),
  ),
  entry(
    'reconcile',
    'compares the books with the chain, and says where they differ',
    () => import('./reconcile.ts'),
  ),
  entry('key', 'make or import a key, or show its address', () => import('./key.ts')),
  entry(
    'signer',
    'holds the key in a process of its own and signs within its own limits',
    () => import('./signer.ts'),
  ),
  entry('audit', 'proves that the log is what was written', () => import('./audit.ts')),
  entry('config', 'check, show, create the configuration', () => import('./config.ts')),
  entry('new', 'begins a strategy of your own, in a folder of yours', () => import('./new.ts')),
  entry('doctor', 'is everything in place to trade?', () => import('./doctor.ts')),
  entry(
    'revoke',
    'takes back every allowance that stands, whoever gave it; a list unless --live',
    () => import('./revoke.ts'),
  ),
  entry('completion', 'completes commands in your shell', () => import('./completion.ts')),
  entry(
    'drill',
    'lies to the bot in every known way, under your own policy, on a market of its own',
    () => import('./drill.ts'),
  ),
]

function entry(name: string, summary: string, load: CommandEntry['load']): CommandEntry {
  return { name, summary, load }
}
