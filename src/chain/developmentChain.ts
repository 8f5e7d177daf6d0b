/** The id every development chain of this kind goes by; its money and its prices are made up. */
export const developmentChainId = 31_337
