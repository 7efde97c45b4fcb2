/** Commands that run until they are interrupted, with the option that makes them so. */
export const ENDLESS_COMMANDS = ['serve', 'open', 'jobs --watch'];
