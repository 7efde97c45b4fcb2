import { pause } from './jobs.ts';
import { inEnglish, say } from './language.ts';

interface LoginState {
  readonly status: 'waiting' | 'linked' | 'failed';
  readonly message?: string | HTMLElement;
}

/** Checks every few seconds whether the code was entered, and goes to the list of accounts once one is linked. */
export async function followLogin(element: HTMLElement): Promise<void> {
  element.hidden = false;
  const seconds = Number(element.dataset['every']);
  for (;;) {
    await pause(seconds * 1000);
    const { status, message = '' } = await readState(element.dataset['login'] ?? '');
    if (status === 'linked') return location.assign('/ui/account/games');
    if (status === 'waiting') continue;
    element.className = 'problem';
    element.replaceChildren(message);
    return;
  }
}

async function readState(address: string): Promise<LoginState> {
  try {
    const answer = await fetch(address, { headers: { accept: 'application/json' } });
    if (answer.ok) {
      const { status, message = '' } = (await answer.json()) as {
        status: LoginState['status'];
        message?: string;
      };
      return { status, message: inEnglish(message) };
    }
    if (answer.status === 404)
      return { status: 'failed', message: say('The code has expired. Get a new one.') };
  } catch {
    // The server could not be reached: it is asked again.
  }
  return { status: 'waiting' };
}
