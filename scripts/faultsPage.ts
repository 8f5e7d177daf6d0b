import { allFaults } from '../test/crash/allFaults.ts'

const head = `# The faults of the kill enumeration

<!-- Written by \`npm run docs\` from test/crash/faults: change it there. -->

docs/KILLS.md says how they are run, and docs/NIGHTLY.md what the last run came to.

| row | what goes wrong | may begin with | the bot goes on |
|---|---|---|---|
`

const tail = `
Not enumerated here: rows of the quote API and the tokens, and rows whose remedy is a refusal to start
(docs/DRILL.md and the tests that carry their ids have those); \`RPC-14\`, \`RPC-15\`, \`RPC-18\`, \`RPC-21\` to \`RPC-23\`,
\`CHAIN-05\`, \`CHAIN-12\`, \`CHAIN-14\`, \`CHAIN-16\`, \`CHAIN-17\`, \`CHAIN-19\` to \`CHAIN-24\`.
`

/** The page of the faults under which a process is killed, each by its row of the matrix. */
export function faultsPage(): string {
  const rows = allFaults.map(({ id, what, from, foreign, halts }) => {
    const begins = from === 'plan' ? 'the plan' : 'the commit of the signed bytes'
    const goesOn = foreign || halts ? 'once a person has looked' : 'by itself'
    return `| ${id} | ${what} | ${begins} | ${goesOn} |`
  })
  return `${head}${rows.join('\n')}\n${tail}`
}
