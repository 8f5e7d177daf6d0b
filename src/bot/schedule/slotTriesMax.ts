/** How often one calendar slot is begun before it is given up: live, on paper and over a tape. */
export const slotTriesMax = 5
