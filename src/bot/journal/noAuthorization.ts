/** What the column holds for a foreign router, which consumes nothing that could be looked up. */
export const noAuthorization = '0x'
