import { receivedSkinListAnswerSchema } from '../protocol/skin.ts';
import { v1SkinSchema } from '../protocol/v1.ts';
import { textureName } from '../textures/property.ts';
import { contentOf, expect, expectRefusal, expectStatus, notTried, shaped } from './finding.ts';
import { decoded, expectData, expectPixels, expectSigned } from './proof.ts';
import { BATCH_ANSWER, JOB_ANSWER, SKIN_ANSWER, SKIN_MADE, V1_GENERATED } from './published.ts';
import { submit } from './submitting.ts';
import type { Check, Draft, Target } from './target.ts';

/** What becomes of the skins of the run. */
export const RESULTS: readonly Check[] = [
  {
    id: 'made-skin',
    judges:
      'A finished skin has the name, the visibility and the variant of its submission, and signed data.',
    statements: ['1.1', '2.1', '2.2', '2.3', '2.7', '2.8', '9.3d'],
    isRequired: true,
    run: async (target) => {
      const draft = target.making.finished();
      const { answer, skin } = await read(target, draft);
      expect(answer, skin.name === draft.name, `the name ${draft.name}`, skin.name);
      expect(answer, skin.visibility === 'unlisted', 'unlisted', skin.visibility);
      expect(answer, skin.variant === draft.drawn, draft.drawn, skin.variant);
      await expectData(target, answer, skin);
    },
  },
  {
    id: 'made-pixels',
    judges: 'The texture of each skin shows the picture that was sent.',
    statements: ['1.1'],
    run: async (target) => {
      target.making.finished();
      for (const draft of target.making.drafts) {
        if (draft.uuid === undefined) continue;
        const { answer, skin } = await read(target, draft);
        await expectPixels(target, answer, { value: skin.texture.data.value, png: draft.png });
      }
    },
  },
  {
    id: 'made-different',
    judges: 'Skins of different pictures have different values, signatures and textures.',
    statements: ['1.1', '2.1', '2.2'],
    run: async (target) => {
      const drafts = target.making.drafts.filter(({ uuid }) => uuid !== undefined);
      if (drafts.length < 2) throw notTried('Fewer than two skins were finished.');
      const seen = new Set<string>();
      for (const draft of drafts) {
        const { answer, skin } = await read(target, draft);
        const { data, hash } = skin.texture;
        for (const [name, text] of Object.entries({ ...data, hash: hash.skin })) {
          expect(answer, !seen.has(text), `a ${name} of its own`, `that of another skin: ${text}`);
          seen.add(text);
        }
      }
    },
  },
  {
    id: 'made-variant',
    judges: 'Without a variant it is detected from the picture.',
    statements: ['2.8'],
    run: async (target) => {
      const drafts = target.making.drafts.slice(1).filter(({ uuid }) => uuid !== undefined);
      if (drafts.length === 0) throw notTried('No skin without a variant was finished.');
      for (const drawn of ['slim', 'classic'] as const) {
        const draft = drafts.find((one) => one.drawn === drawn);
        if (!draft) continue;
        const { answer, skin } = await read(target, draft);
        expect(answer, skin.variant === drawn, `${drawn}, as it is drawn`, skin.variant);
      }
    },
  },
  {
    id: 'made-job',
    judges: 'A completed job answers with its skin and the message job_completed.',
    statements: ['1.3d', '4.3'],
    isRequired: true,
    run: async ({ session, making }) => {
      const { job } = making.drafts.find((one) => one.job?.status === 'completed') ?? {};
      if (!job) throw notTried('None of the jobs is completed.');
      const answer = await session.get(`/v2/queue/${encodeURIComponent(job.id)}`);
      const { skin, job: seen, messages = [] } = contentOf(answer, JOB_ANSWER);
      expect(answer, seen.status === 'completed' && skin !== undefined, 'the skin of a completed job', seen);
      expect(answer, seen.result === skin?.uuid, `the result ${skin?.uuid}`, `${seen.result}`);
      const isSaid = messages.some(({ code }) => code === 'job_completed');
      expect(answer, isSaid, 'the message job_completed', messages);
    },
  },
  {
    id: 'known-queue',
    judges: 'POST /v2/queue answers 200 with the skin itself if the service already has its data.',
    statements: ['1.3c'],
    run: async (target) => {
      const draft = target.making.finished();
      const answer = await submit(target, draft, { as: 'file', fields: { variant: draft.drawn } });
      const { job, skin } = contentOf(answer, JOB_ANSWER);
      expect(answer, skin !== undefined && job.status === 'completed', 'the skin and a completed job', job);
      expect(answer, skin?.duplicate === true, 'duplicate: true', `${skin?.duplicate}`);
      await expectData(target, answer, skin ?? (await read(target, draft)).skin);
    },
  },
  {
    id: 'known-check-only',
    judges: 'POST /v2/generate with checkOnly answers with the skin of a known picture.',
    run: async (target) => {
      const draft = target.making.finished();
      const fields = { variant: draft.drawn };
      const answer = await submit(target, draft, { as: 'file', fields }, '/v2/generate?checkOnly=true');
      const { skin } = contentOf(answer, SKIN_MADE);
      expect(answer, skin.duplicate, 'duplicate: true', `${skin.duplicate}`);
    },
  },
  {
    id: 'batch',
    judges: 'POST /v2/queue/batch answers 202 with a result for each submission, in their order.',
    endpoints: ['POST /v2/queue/batch'],
    run: async (target) => {
      const { session, making } = target;
      const draft = making.finished();
      const { name, dataUrl, drawn } = draft;
      const known = { url: dataUrl, name, visibility: 'unlisted', variant: drawn };
      const content = { json: { batch: [known, { url: 'no-address', visibility: 'unlisted' }] } };
      const answer = await session.send('POST', '/v2/queue/batch', { content });
      const { batch } = contentOf(answer, BATCH_ANSWER, 202);
      const [first, second] = batch;
      if (first?.skin) making.note(draft, first.skin.uuid, first.skin.name);
      expect(answer, batch.length === 2, 'two results', `${batch.length}`);
      expect(answer, first?.success === true && second?.success === false, 'one skin and one refusal', batch);
    },
  },
  {
    id: 'unlisted',
    judges: 'An unlisted skin is in no public list, and everyone who has its UUID can read it.',
    statements: ['2.7', '1.4d'],
    run: async (target) => {
      const { uuid } = target.making.finished();
      const answer = await target.session.get(`/v2/skins/${uuid}`, { key: 'none' });
      contentOf(answer, SKIN_ANSWER);
      await expectNoPublic(target, uuid);
    },
  },
  {
    id: 'views',
    judges: 'POST /v2/skins/{uuid}/interactions/views counts a view.',
    endpoints: ['POST /v2/skins/{uuid}/interactions/views'],
    run: async ({ session, making }) => {
      const { uuid } = making.finished();
      const answer = await session.send('POST', `/v2/skins/${uuid}/interactions/views`);
      expectStatus(answer, 200, 201, 202, 204);
    },
  },
  {
    id: 'own-list',
    judges: 'The skins are on the list of their owner.',
    statements: ['1.4c'],
    needsKey: true,
    run: async ({ session, making }) => {
      const { uuid } = making.finished();
      const answer = await session.get('/v2/me/skins?size=64');
      const { skins } = contentOf(answer, receivedSkinListAnswerSchema);
      const isThere = skins.some((one) => one.uuid === uuid);
      expect(answer, isThere, `the skin ${uuid}`, `${skins.length} others`);
    },
  },
  {
    id: 'edit',
    judges: 'PATCH /v2/skins/{uuid} changes the name of one’s own skin.',
    statements: ['3.4'],
    needsKey: true,
    run: async (target) => {
      const { uuid } = target.making.finished();
      const name = `${target.making.prefix}-edited`;
      const answer = await target.session.send('PATCH', `/v2/skins/${uuid}`, { content: { json: { name } } });
      expectStatus(answer, 200);
      const { skin } = contentOf(await target.session.get(`/v2/skins/${uuid}`), SKIN_ANSWER);
      expect(answer, skin.name === name, `the name ${name}`, `${skin.name}`);
    },
  },
  {
    id: 'edit-anonymous',
    judges: 'Only the owner of a skin can change or delete it.',
    statements: ['5.1'],
    run: async ({ session, making }) => {
      const { uuid, name } = making.finished();
      const path = `/v2/skins/${uuid}`;
      const edited = await session.send('PATCH', path, { key: 'none', content: { json: { name } } });
      const codes = ['unauthorized', 'user_not_found', 'skin_not_found', 'insufficient_grants'] as const;
      expectRefusal(edited, [401, 403, 404], ...codes);
    },
  },
  {
    id: 'private',
    judges: 'A private skin can be read only with its owner’s key, and is in no public list.',
    statements: ['1.4a', '1.4b', '1.4c', '1.4d', '5.3'],
    codes: ['skin_not_found'],
    needsKey: true,
    run: async (target) => {
      const { session, making } = target;
      const { uuid } = making.drafts.findLast((one) => one.uuid !== undefined) ?? making.finished();
      const path = `/v2/skins/${uuid}`;
      expectStatus(await session.send('PATCH', path, { content: { json: { visibility: 'private' } } }), 200);
      const own = await session.get(path);
      const { skin } = contentOf(own, SKIN_ANSWER);
      expect(own, skin.visibility === 'private', 'private', skin.visibility);
      expectRefusal(await session.get(path, { key: 'none' }), [404], 'skin_not_found');
      expectRefusal(await session.get(`${path}/texture`, { key: 'none' }), [404], 'skin_not_found');
      await expectNoPublic(target, uuid ?? '');
      const list = contentOf(await session.get('/v2/me/skins?size=64'), receivedSkinListAnswerSchema);
      const isListed = list.skins.some((one) => one.uuid === uuid);
      expect(own, isListed, 'the skin on the list of its owner', 'it is missing');
    },
  },
  {
    id: 'v1-upload',
    judges: 'POST /generate/upload answers in the format of version 1, with the value at data.texture.value.',
    statements: ['1.5a', '2.1', '2.2', '4.n2', '9.2', '2.7'],
    run: async (target) => void (await generateOld(target, '/generate/upload', 'file')),
  },
  {
    id: 'v1-url',
    judges: 'POST /generate/url does the same for an address, with the model names of version 1.',
    statements: ['1.5a', '4.n2', '2.9', '9.2'],
    run: async (target) => void (await generateOld(target, '/generate/url', 'data-url')),
  },
  {
    id: 'v1-compatibility',
    judges: 'With v2=true, version 1 uses the processing of version 2 and keeps its own format.',
    statements: ['1.5b', '4.n3'],
    run: async (target) => {
      const answer = await generateOld(target, '/generate/upload?v2=true', 'file');
      const version = String(answer.headers['mineskin-api-version'] ?? '');
      expect(answer, version === 'v1-with-v2-compat', 'MineSkin-Api-Version: v1-with-v2-compat', version);
    },
  },
  {
    id: 'v1-skin',
    judges: 'GET /get/uuid/{uuid} has a skin in the format of version 1.',
    statements: ['1.5a', '9.2'],
    endpoints: ['GET /get/uuid/{uuid}'],
    run: async ({ session, making }) => {
      const { uuid } = making.finished();
      contentOf(await session.get(`/get/uuid/${uuid}`), v1SkinSchema);
    },
  },
  {
    id: 'delete',
    judges: 'DELETE /v2/skins/{uuid} deletes one’s own skin, which cannot be read afterwards.',
    endpoints: ['DELETE /v2/skins/{uuid}'],
    needsKey: true,
    run: async ({ session, making }) => {
      const [uuid] = making.records;
      if (uuid === undefined) throw notTried('No skin is left to delete.');
      const answer = await session.send('DELETE', `/v2/skins/${uuid}`);
      expectStatus(answer, 200, 202, 204);
      expectRefusal(await session.get(`/v2/skins/${uuid}`), [404], 'skin_not_found');
      making.forget(uuid);
    },
  },
];

type Made = Draft & { readonly uuid?: string };

async function read({ session }: Target, { uuid = '' }: Made) {
  const answer = await session.get(`/v2/skins/${encodeURIComponent(uuid)}`);
  return { answer, skin: contentOf(answer, SKIN_ANSWER).skin };
}

/** @throws Finding if the newest public skins have it */
async function expectNoPublic({ session }: Target, uuid: string): Promise<void> {
  const answer = await session.get('/v2/skins?size=64', { key: 'none' });
  const { skins } = contentOf(answer, receivedSkinListAnswerSchema);
  expect(answer, !skins.some((one) => one.uuid === uuid), 'public skins only', `the skin ${uuid}`);
}

/** Asks version 1 for a known skin. @throws Finding */
async function generateOld(target: Target, path: string, as: 'file' | 'data-url') {
  const draft = target.making.finished();
  const model = draft.drawn === 'slim' ? 'slim' : 'steve';
  const answer = await submit(target, draft, { as, fields: { visibility: '1', model } }, path);
  expectStatus(answer, 200);
  const skin = shaped(answer, V1_GENERATED);
  target.making.note(draft, skin.uuid, skin.name);
  expect(answer, skin.model === model, `the model ${model}`, skin.model);
  const { value, signature, url } = skin.data.texture;
  const seen = decoded(answer, value).skin?.url;
  expect(answer, textureName(seen ?? '') === textureName(url), `the texture of the value (${seen})`, url);
  await expectSigned(target, answer, { value, signature });
  return answer;
}
