import { homedir } from 'node:os';

/**
 * Lets a user without a home, as in some containers, count as one whose HOME is empty: otherwise Node throws at whoever
 * asks for the home, and libraries do that while they are loaded.
 */
export function settleHome(env: NodeJS.ProcessEnv, ask = homedir): void {
  try {
    ask();
  } catch {
    env['HOME'] = '';
  }
}
