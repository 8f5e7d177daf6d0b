/** The opcodes that let a contract run foreign code as itself, replace itself, or make other contracts. */
const forbiddenOpcodes: ReadonlyMap<number, string> = new Map([
  [0xf0, 'CREATE'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xff, 'SELFDESTRUCT'],
])

const push1 = 0x60
const push32 = 0x7f

/**
 * The forbidden opcodes in runtime bytecode, by position. The bytes that a PUSH carries are data, not code.
 *
 * Expects bytecode without metadata, as our build settings make it.
 */
export function findForbiddenOpcodes(bytecode: string): { at: number; name: string }[] {
  const code = Buffer.from(bytecode.replace(/^0x/, ''), 'hex')
  const found: { at: number; name: string }[] = []
  for (let at = 0; at < code.length; at++) {
    const opcode = code.readUInt8(at)
    const name = forbiddenOpcodes.get(opcode)
    if (name !== undefined) found.push({ at, name })
    if (opcode >= push1 && opcode <= push32) at += opcode - push1 + 1
  }
  return found
}
