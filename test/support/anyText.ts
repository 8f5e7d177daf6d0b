import fc from 'fast-check'

/** Text of any UTF-16 units, halves of pairs among them: every second one is of ASCII, where most that is special stands. */
export const anyText = (length: { readonly maxLength?: number } = {}) =>
  fc
    .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff)), length)
    .map((units) => String.fromCharCode(...units))
