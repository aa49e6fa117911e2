/** Attempts of a delivery in total. Delivery stops after the last has failed. */
export const MAX_ATTEMPTS = 8;
