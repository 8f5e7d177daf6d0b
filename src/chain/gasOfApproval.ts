/**
 * The gas limit of an `approve`, simulated and signed alike. Plain tokens use half of it; one that needs more
 * is refused by the simulation.
 */
export const gasOfApproval = 100_000n
