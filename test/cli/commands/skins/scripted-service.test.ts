import { describe, expect, test } from 'vitest';
import { skinsList } from '../../../../src/cli/commands/skins.ts';
import { SkinClient, type SkinPage } from '../../../../src/index.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { testClient } from '../../../support/client/test-client.ts';

const UUID = 'a'.repeat(32);

describe('skins list', () => {
  test.each([
    [65, 'Showing 30 of 65 skins. To list all of them: --all\n'],
    [undefined, 'Showing the first 30 skins. To list all of them: --all\n'],
  ])('says how many skins it leaves out, and the total if known: %s', async (total, note) => {
    const skins = Array.from({ length: 30 }, () => ({ uuid: UUID }));
    const links = { next: '/v2/me/skins?after=x' };
    const { client } = await testClient([
      { expect: 'GET /v2/me/skins?size=30', json: { success: true, skins, links, total } },
    ]);
    const { context, err } = contextWith(client);
    await skinsList.run({}, context);
    expect(err()).toBe(note);
  });

  /** Pages of a search that finds nothing for long. */
  class SlowSearch extends SkinClient {
    pages = 0;
    readonly last: number;

    constructor(last: number) {
      super({ baseUrl: 'http://127.0.0.1:9' });
      this.last = last;
    }

    override async ownSkins(): Promise<SkinPage> {
      this.pages++;
      const item = { uuid: UUID, visibility: 'public', variant: 'slim', views: 0 } as const;
      return { skins: this.pages === this.last ? [item] : [], next: String(this.pages) };
    }
  }

  test('continues through pages without a skin', async () => {
    const { context, out } = contextWith(new SlowSearch(20));
    await skinsList.run({ limit: 1 }, context);
    expect(out()).toMatch(UUID);
  });

  test('stops after a limited number of pages, and says so', async () => {
    const client = new SlowSearch(0);
    const { context, err } = contextWith(client);
    await skinsList.run({}, context);
    expect(client.pages).toBeLessThanOrEqual(1_000);
    expect(err()).toBe('No match among the skins searched. To search all of them: --all\n');
  });

  test('continues to the end when all are wanted', async () => {
    class LongSearch extends SlowSearch {
      override async ownSkins(): Promise<SkinPage> {
        const page = await super.ownSkins();
        return { ...page, next: this.pages < 2_000 ? page.next : undefined };
      }
    }
    const { context, out, err } = contextWith(new LongSearch(2_000));
    await skinsList.run({ all: true }, context);
    expect([out(), err()]).toEqual([expect.stringContaining(UUID), '']);
  });

  test.each([1, 2, 7])(
    'ends with an error where the service leads around in a circle of %s pages',
    async (pages) => {
      class Circle extends SlowSearch {
        override async ownSkins(): Promise<SkinPage> {
          const { skins } = await super.ownSkins();
          return { skins, next: String(this.pages % pages) };
        }
      }
      const client = new Circle(1);
      await expect(skinsList.run({ all: true }, contextWith(client).context)).rejects.toThrow(
        'The next page of the list is one that the service has sent before.',
      );
      expect(client.pages).toBe(pages + 1);
    },
  );
});
