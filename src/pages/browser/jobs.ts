import { element } from './element.ts';
import { inEnglish, say } from './language.ts';

/** The same as in `skin-uses.ts`. */
export interface BestWay {
  readonly label: string;
  readonly text?: string;
  readonly file?: { readonly name: string; readonly address: string };
  readonly notes: readonly string[];
}

/** A job in the answer of `/ui/jobs/<id>/state`. */
export interface PageJob {
  readonly status: 'waiting' | 'processing' | 'completed' | 'failed';
  /** How far it is, or why it failed. */
  readonly says?: string;
  readonly skin?: {
    readonly uuid: string;
    readonly value: string;
    readonly signature: string;
    readonly url: string;
    /** How to use it where the visitor uses skins. */
    readonly way?: BestWay;
  };
}

/** Milliseconds before a failed request is sent again. */
const RETRY = 2_000;

/** Waits for the job's end. The server answers when something has changed, so no pause between requests is needed. */
export async function waitForJob(id: string, tell: (progress: string) => void): Promise<PageJob> {
  for (let seen = ''; ; ) {
    const state = await readState(id, seen);
    if (typeof state === 'object') {
      if (state.status === 'completed' || state.status === 'failed') return state;
      seen = state.status;
      tell(state.says ?? '');
      continue;
    }
    if (state === 'unreachable') {
      seen = ''; // so that the first answer tells the state
      tell(say('The server does not answer. Trying again.'));
    }
    await pause(RETRY);
  }
}

async function readState(id: string, seen: string): Promise<PageJob | 'unreachable' | 'busy'> {
  try {
    const answer = await fetch(`/ui/jobs/${id}/state?seen=${seen}`, {
      headers: { accept: 'application/json' },
    });
    if (answer.ok) return (await answer.json()) as PageJob;
    if (answer.status === 429) return 'busy';
    if (answer.status >= 500) return 'unreachable';
    const message =
      answer.status === 401
        ? say('You have been signed out. Sign in again.')
        : say('This job no longer exists.');
    return { status: 'failed', says: message };
  } catch {
    return 'unreachable';
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Leads to the skin, or to the reason why there is none. */
export async function followJob(element: HTMLElement): Promise<void> {
  await waitForJob(element.dataset['job'] ?? '', (progress) => {
    element.textContent = progress;
  });
  location.reload();
}

/** A job in the events of the page. */
interface News {
  readonly id: string;
  readonly status: PageJob['status'];
  readonly skin?: string;
}

const STATES = {
  waiting: say('Waiting'),
  processing: say('Being made'),
  completed: say('Completed'),
  failed: say('Failed'),
};

/**
 * Keeps a list of jobs up to date. If the events lack something, such as why a job failed, it offers to reload the
 * page instead of moving what a person is reading.
 */
export function followJobs(list: HTMLElement): void {
  const events = new EventSource('/ui/jobs/events');
  for (const forecast of list.querySelectorAll<HTMLElement>('[data-time]:not([data-time=""])'))
    setTimeout(() => forecast.replaceChildren(), Number(forecast.dataset['time'])); // it was wrong
  events.addEventListener('pending', ({ data }: MessageEvent<string>) => {
    const pending = new Map((JSON.parse(data) as News[]).map((news) => [news.id, news]));
    for (const row of list.querySelectorAll<HTMLElement>(
      '[data-status="waiting"], [data-status="processing"]',
    )) {
      const news = pending.get(row.dataset['ownJob'] ?? '');
      if (news) show(row, news);
      else offerReload(); // it has ended since the page was rendered
    }
  });
  events.addEventListener('job', ({ data }: MessageEvent<string>) => {
    const news = JSON.parse(data) as News;
    const row = list.querySelector<HTMLElement>(`[data-own-job="${CSS.escape(news.id)}"]`);
    if (row) show(row, news);
    else offerReload();
  });
  addEventListener('pagehide', () => events.close(), { once: true });
}

function show(row: HTMLElement, { status, skin }: News): void {
  if (row.dataset['status'] === status) return;
  row.dataset['status'] = status;
  const state = row.querySelector<HTMLElement>('[data-state]');
  if (state) {
    state.textContent = STATES[status];
    state.className = `tag ${status}`;
  }
  row.querySelector('[data-time]')?.replaceChildren();
  if (status === 'failed') offerReload();
  if (skin === undefined) return;
  const href = `/ui/skins/${encodeURIComponent(skin)}`;
  const link = element('a', { className: 'button quiet-button', href }, say('Open the skin'));
  row.querySelector('[data-acts]')?.replaceChildren(link);
}

function offerReload(): void {
  const news = document.querySelector<HTMLElement>('[data-news]');
  if (!news?.hidden) return;
  const link = element('a', { href: location.href }, say('Reload the page'));
  news.replaceChildren(say('Your jobs have changed.'), ' ', link);
  news.hidden = false;
}

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
    const { status, message = '' } = await readLoginState(element.dataset['login'] ?? '');
    if (status === 'linked') return location.assign('/ui/account/games');
    if (status === 'waiting') continue;
    element.className = 'problem';
    element.replaceChildren(message);
    return;
  }
}

async function readLoginState(address: string): Promise<LoginState> {
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
    // The server could not be reached: try again.
  }
  return { status: 'waiting' };
}
