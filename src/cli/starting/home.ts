import { homedir } from 'node:os';

/**
 * Treats a user without a home folder, as in some containers, like one whose HOME is empty. Otherwise Node throws when a
 * program asks for the folder, and some libraries ask while they are loaded.
 */
export function settleHome(env: NodeJS.ProcessEnv, ask = homedir): void {
  try {
    ask();
  } catch {
    env['HOME'] = '';
  }
}
