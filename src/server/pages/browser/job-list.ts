import { say } from './language.ts';

/** A job in the events of the page. */
interface News {
  readonly id: string;
  readonly status: 'waiting' | 'processing' | 'completed' | 'failed';
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
  const link = document.createElement('a');
  link.className = 'button quiet-button';
  link.href = `/ui/skins/${encodeURIComponent(skin)}`;
  link.textContent = say('Open the skin');
  row.querySelector('[data-acts]')?.replaceChildren(link);
}

function offerReload(): void {
  const news = document.querySelector<HTMLElement>('[data-news]');
  if (!news?.hidden) return;
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = say('Reload the page');
  news.replaceChildren(say('Your jobs have changed.'), ' ', link);
  news.hidden = false;
}
