import { join } from 'node:path';
import { z } from 'zod';
import { type Machine, PROGRAM } from './machine.ts';
import type { Service } from './services.ts';
import { writeSkins } from './skins.ts';

/** As many as a set may have, and as many sets as a page of their list. */
const SKINS = 500;
const SETS = 64;

/** What has been made: one of each. */
export interface Made {
  readonly set: string;
  readonly skin: string;
  readonly texture: string;
}

const skinsSchema = z.object({
  skins: z.array(z.object({ uuid: z.string(), texture: z.string() })),
  links: z.object({ next: z.string().optional() }),
});
const setSchema = z.object({ set: z.object({ uuid: z.string() }) });

/** Public sets with the same public skins in all of them. */
export async function makeSets(machine: Machine, service: Service): Promise<Made> {
  const folder = join(machine.folder, 'skins');
  writeSkins(folder, SKINS);
  const { url, env } = service;
  await machine.start([PROGRAM, 'generate', folder, '--visibility', 'public', '--quiet'], {
    env,
    stdout: 'ignore',
  });
  const skins = await publicSkins(service);
  const headers = { authorization: `Bearer ${env['SKINSMITH_API_KEY']}`, 'content-type': 'application/json' };
  let made = '';
  for (let number = 0; number < SETS; number++) {
    const body = JSON.stringify({
      name: `Set ${number}`,
      visibility: 'public',
      skins: skins.map(({ uuid }) => uuid),
    });
    const answer = await fetch(`${url}/v2/sets`, { method: 'POST', headers, body });
    made = setSchema.parse(await answer.json()).set.uuid;
  }
  return { set: made, skin: skins[0]!.uuid, texture: skins[0]!.texture };
}

async function publicSkins(service: Service): Promise<z.output<typeof skinsSchema>['skins']> {
  const found: z.output<typeof skinsSchema>['skins'] = [];
  for (let path: string | undefined = '/v2/skins?size=128'; path !== undefined; ) {
    const { skins, links } = skinsSchema.parse(await (await fetch(`${service.url}${path}`)).json());
    found.push(...skins);
    path = links.next;
  }
  return found;
}
