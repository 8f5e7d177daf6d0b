/** Numbers of the locks in a journal's own database: any will do that no other program takes there. */
export const advisoryKeys = {
  /** The right to write the journal in `public`; those in other schemas are derived from it. */
  journal: 8_235_014_426_337_116n,
  /** The limits over all wallets. Taken after the right to write a journal. */
  treasury: 8_235_014_426_337_117n,
  /** The tables that all processes of a fleet share. */
  fleet: 8_235_014_426_337_118n,
} as const
