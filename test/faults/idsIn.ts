/** The rows that a title, or the source of a test, names: `[API-22]`. Unknown ones too, so that they can be refused. */
export const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\[((?:RPC|CHAIN|API|LOCAL|TOKEN)-\d+)\]/g)].map(([, id = '']) => id)
