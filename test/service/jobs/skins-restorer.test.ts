import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';
import { webServer } from '../../support/server/web-server.ts';

guardAgainstLeaks();

/**
 * What SkinsRestorer does since 2025 (its MineSkinAPIImpl): all requests of a server obey the latest
 * `rateLimit.next.relative` that any of them was told; one that is refused is sent again only when the first error
 * is `rate_limit`, five times in all. The plugin also sends no more than five at the same time; this one does not care.
 */
class SkinsRestorer {
  static readonly #TRIES = 5;
  readonly #caller: TestCaller;
  #nextRequestAt = 0;

  constructor(caller: TestCaller) {
    this.#caller = caller;
  }

  async generate(url: string): Promise<Heard> {
    let heard: Heard;
    let tries = 0;
    do {
      await sleep(Math.max(0, this.#nextRequestAt - Date.now()));
      heard = await this.#caller.json('/v2/generate', { url, variant: 'unknown', visibility: 'unlisted' });
      const { relative = 0 } = heard.body.rateLimit?.next ?? {};
      this.#nextRequestAt = Math.max(this.#nextRequestAt, Date.now() + relative);
      tries++;
    } while (heard.body.errors?.[0]?.code === 'rate_limit' && tries < SkinsRestorer.#TRIES);
    return heard;
  }
}

test('SkinsRestorer gets all eight skins that a user with the plan free requests at once, one after the other', async () => {
  const site = await webServer((request, response) => {
    response.end(skinPng(Number(/\d+/.exec(request.url ?? '')?.[0])));
  });
  const { user } = await runServer({ workers: 2, pace: 1_500, allowedNetworks: ['127.0.0.0/8'] });
  const plugin = new SkinsRestorer(await user('bob'));
  const all = Array.from({ length: 8 }, (_, n) => plugin.generate(`${site.url}/${n}.png`));
  for (const { status, body } of await Promise.all(all)) {
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  }
});
