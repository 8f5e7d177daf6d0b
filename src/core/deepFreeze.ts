/** Freezes a value of plain objects and lists, and every part of it. What is frozen already is taken to be frozen throughout. */
export function deepFreeze<value>(value: value): value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
