import { expect, test } from 'vitest';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import { ask, Masks } from '../support/http/adapters/asking.ts';
import type { Way } from '../support/http/adapters/both-ways.ts';
import { hearAll, type Transcript } from '../support/http/adapters/transcripts.ts';
import { guardAgainstLeaks } from '../support/server/running-server.ts';
import { askOf, type Known, learn, STORY } from './adapter-story.ts';

guardAgainstLeaks();

function knownOf({ key }: Way): Known {
  return { owner: key, user: '', keyId: '', job: '', skin: '', cape: '', texture: '' };
}

async function tellStory(way: Way): Promise<Transcript> {
  const known = knownOf(way);
  const masks = new Masks();
  const transcript: [string, unknown][] = [];
  for (const step of STORY) {
    const told = await ask(way, askOf(step, known));
    learn(step, told, known);
    transcript.push([step.route, masks.mask(told)]);
  }
  return transcript;
}

test('Every route gives its intended answer, over the network and inside the process', async () => {
  const all = ROUTES.flatMap(({ method, paths: [path] }) => `${method} ${path}`);
  expect(new Set(STORY.map(({ route }) => route))).toEqual(new Set(all));
  const [network, inside] = await hearAll(tellStory);
  expect(inside).toEqual(network);
});
