/** When all of it happened. */
export const MOMENT = Date.UTC(2025, 9, 1, 12);
export const LATER = MOMENT + 60_000;
/** Times that must not have passed when a store is opened. */
export const NEVER = Date.UTC(2200, 0, 1);
