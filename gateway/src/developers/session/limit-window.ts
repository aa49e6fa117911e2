/** The length of a counting window of the area, in minutes. */
export const WINDOW_MINUTES = 10;
