import { expect, test } from 'vitest';
import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';
import { SCOPES, type Scope } from '../../../src/protocol/api-key.ts';
import { addressOf, pageAddresses, type Samples } from '../../support/pages/addresses.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { openOwnStore, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';

/** Whom a form is for: everyone, whoever is signed in, or those whose key has the scope, signed in or not. */
type Admitted = 'everyone' | 'signed in' | Scope | `${Scope} if signed in`;

/** Every form of the pages. */
const FORMS: Readonly<Record<string, Admitted>> = {
  '/ui/make': 'generate if signed in',
  '/ui/make/skins.zip': 'everyone',
  '/ui/jobs/:jobId/retry': 'generate if signed in',
  '/ui/skins': 'skins',
  '/ui/skins/:uuid': 'skins',
  '/ui/skins/:uuid/delete': 'skins',
  '/ui/skins/:uuid/report': 'everyone',
  '/ui/skins/:uuid/like': 'skins',
  '/ui/skins/:uuid/tags': 'skins',
  '/ui/skins/:uuid/wear': 'skins',
  '/ui/skins/:uuid/undress': 'skins',
  '/ui/gallery': 'skins',
  '/ui/sets': 'skins',
  '/ui/sets/:set': 'skins',
  '/ui/sets/:set/report': 'everyone',
  '/ui/set-names/release': 'skins',
  '/ui/tray': 'skins',
  '/ui/language': 'everyone',
  '/ui/account/name': 'account',
  '/ui/account/delete': 'account',
  '/ui/account/keys': 'account',
  '/ui/account/keys/:id': 'account',
  '/ui/account/keys/:id/revoke': 'account',
  '/ui/account/games/logins': 'account',
  '/ui/account/games/:uuid': 'account',
  '/ui/account/games/:uuid/pause': 'account',
  '/ui/account/games/:uuid/check': 'account',
  '/ui/account/games/:uuid/unlink': 'account',
  '/ui/account/identities/:id/unlink': 'account',
  '/ui/sign-in': 'everyone',
  '/ui/sign-in/link': 'everyone',
  '/ui/sign-in/first': 'everyone',
  '/ui/sessions/:id/end': 'signed in',
  '/ui/operator/feed': 'operator',
  '/ui/operator/users': 'operator',
  '/ui/operator/users/:name': 'operator',
  '/ui/operator/users/:name/keys': 'operator',
  '/ui/operator/users/:name/keys/:id/revoke': 'operator',
  '/ui/operator/users/:name/invitation': 'operator',
  '/ui/operator/users/:name/identities/:id/unlink': 'operator',
  '/ui/operator/capes': 'operator',
  '/ui/operator/capes/:uuid': 'operator',
  '/ui/operator/capes/:uuid/delete': 'operator',
  '/ui/operator/reports/:id/close': 'operator',
  '/ui/operator/reports/:id/reopen': 'operator',
  '/ui/operator/skins/:uuid/hidden': 'operator',
  '/ui/operator/skins/:uuid/delete': 'operator',
  '/ui/operator/sets/:uuid': 'operator',
  '/ui/operator/sets/:uuid/delete': 'operator',
  '/ui/operator/images': 'operator',
  '/ui/operator/images/:hash/unblock': 'operator',
  '/ui/sign-out': 'everyone',
  '/ui/sessions/end-others': 'signed in',
};
/** They would end the visitors' sessions. */
const ENDING = new Set(['/ui/sign-out', '/ui/sessions/end-others']);

const NOTHING: Samples = {
  uuid: '0'.repeat(32),
  jobId: 'none',
  id: '0',
  name: 'nobody',
  hash: 'a'.repeat(64),
  set: 'none',
};

/** Whether the visitor is signed in, and what the key may then do here. */
interface Visitor {
  readonly person: PlainBrowser;
  readonly scopes: readonly Scope[] | undefined;
}

const EVERY_USER: readonly Scope[] = SCOPES.filter((scope) => scope !== 'operator');

/** Who is signed in, with a key of which scopes. */
const PEOPLE: Readonly<Record<string, readonly [user: string, scopes: readonly Scope[]]>> = {
  'another user': ['bob', EVERY_USER],
  'the owner': ['ann', EVERY_USER],
  ...Object.fromEntries(EVERY_USER.map((scope) => [`the owner, ${scope} only`, ['ann', [scope]]] as const)),
  'an operator': ['owner', SCOPES],
  'an operator with the key of a user': ['owner', EVERY_USER],
};

async function signedIn({ url, owner }: ServerUnderTest, user: string, scopes: readonly Scope[]) {
  const person = new PlainBrowser(url);
  const { key } = (await owner.json('/v2/account/keys', { user, scopes })).body;
  await person.signIn(key?.secret);
  return { person, key: key!.id };
}

/** People whose sessions have ended in each way: they are like anyone. */
async function signedOut(server: ServerUnderTest): Promise<Record<string, PlainBrowser>> {
  const enter = async (user: string) => await signedIn(server, user, ['read', 'skins']);
  await server.user('eve');
  const late = await enter('ann');
  const { db } = await openOwnStore(server.dataDir);
  await db.updateTable('sessions').set({ expires_at: 1 }).execute();
  const [revoked, disabled] = [await enter('ann'), await enter('eve')];
  await server.owner.send('DELETE', `/v2/account/keys/${revoked.key}`);
  await server.owner.patch('/v2/account/users/eve', { disabled: true });
  return {
    'whose session is too old': late.person,
    'whose key is revoked': revoked.person,
    'who is disabled': disabled.person,
  };
}

/** A service with skins, a set and a job of ann's, and visitors of every kind. */
async function openScene() {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  await server.user('bob');
  for (const user of [ann, server.owner]) await user.upload('/v2/generate', skinPng(1), { name: 'Hat' });
  const uuid = (await ann.upload('/v2/generate', skinPng(1), { name: 'Cap' })).body.skin!.uuid;
  const { set } = (await ann.json('/v2/sets', { name: 'Team', visibility: 'public', skins: [uuid] })).body;
  const { job } = (await ann.upload('/v2/queue', skinPng(1))).body;
  const out = { nobody: new PlainBrowser(server.url), ...(await signedOut(server)) };
  const visitors: Record<string, Visitor> = {};
  for (const [name, person] of Object.entries(out)) visitors[name] = { person, scopes: undefined };
  for (const [name, [user, scopes]] of Object.entries(PEOPLE))
    visitors[name] = { person: (await signedIn(server, user, scopes)).person, scopes };
  return { visitors, samples: { ...NOTHING, uuid, set: set!.uuid, jobId: job!.id, name: 'ann' } };
}

/** How a visitor should be answered who sends a form: let in, whatever comes of it, refused, or asked to sign in. */
function expectedOf(who: Admitted, scopes: readonly Scope[] | undefined): string {
  const [scope, isForAll] = who.split(' if ');
  if (who === 'everyone') return 'let in';
  if (!scopes) return isForAll ? 'let in' : 'asked to sign in';
  return who === 'signed in' || scopes.includes(scope as Scope) ? 'let in' : 'refused';
}

async function answerTo(person: PlainBrowser, path: string, form = {}): Promise<string> {
  const { status, headers, text } = await person.open(path, { form });
  if (headers.get('location')?.startsWith('/ui/sign-in')) return 'asked to sign in';
  return status === 403 && text.includes('insufficient_grants') ? 'refused' : 'let in';
}

/** The forms on a page that can be sent, as they are named in the table. */
function formsOn(page: string, { uuid = '', set = '' }: Samples): string[] {
  const forms = page.matchAll(/<form[^>]*method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs);
  const usable = [...forms].filter(([, , content = '']) => !/<fieldset[^>]* disabled/.test(content));
  return usable.map(([, address = '']) =>
    address
      .replace(uuid, ':uuid')
      .replace(set, ':set')
      .replace(/(?<=\/users\/)\w+/, ':name')
      .replace(/(?<=\/(?:keys|sessions)\/)\w{24}/, ':id'),
  );
}

test('Each form accepts the visitors that the table of forms names, and no page shows one to a visitor whom it refuses', async () => {
  const { visitors, samples } = await openScene();
  const refused: string[] = [];
  for (const [place, address] of pageAddresses(samples).entries()) {
    const look = async ([name, { person, scopes }]: [string, Visitor]) => {
      const { text } = await person.open(address);
      for (const path of formsOn(text, samples))
        if (expectedOf(FORMS[path]!, scopes) !== 'let in') refused.push(`${path} on ${address} to ${name}`);
    };
    // Pages ask the same question as the forms, which are all sent below, each by half of the visitors.
    await Promise.all(sampled(Object.entries(visitors), 3, place).map(look));
  }
  expect(refused).toEqual([]);
  const forms = Object.entries(FORMS).filter(([path]) => !ENDING.has(path));
  for (const [place, [path, who]] of forms.entries()) {
    const asked = sampled(Object.entries(visitors), 2, place);
    const send = async ([name, { person }]: [string, Visitor]) => [
      name,
      await answerTo(person, addressOf(path, NOTHING)),
    ];
    const answers = await Promise.all(asked.map(send));
    const expected = asked.map(([name, { scopes }]) => [name, expectedOf(who, scopes)]);
    expect([path, answers]).toEqual([path, expected]);
  }
});

test('Every form of the service is in the table of forms', () => {
  const paths = PAGE_ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(Object.keys(FORMS).toSorted()).toEqual(paths.toSorted());
});

type Answers = readonly [nobody: number, another: number, operator: number, owner: number];

/** Nobody is asked to sign in: with something typed, on a page that keeps it. */
const OWN: Answers = [401, 404, 404, 303];
const OPERATORS: Answers = [401, 403, 303, 403];
const LIKING: Answers = [401, 303, 303, 303];
const ALL: Answers = [303, 303, 303, 303];
const SEEN: Answers = [404, 404, 404, 303];

/** What is sent to a form about something of ann's, and how each visitor is answered; last, where it is private. */
const DEEDS: readonly (readonly [path: string, form: Record<string, string>, Answers, Answers?])[] = [
  ['/ui/skins/:uuid', { name: 'New' }, OWN, OWN],
  ['/ui/skins/:uuid/like', { act: 'like' }, LIKING, OWN],
  ['/ui/skins/:uuid/like', { act: 'unlike' }, LIKING, OWN],
  ['/ui/skins/:uuid/tags', { tag: 'knight', vote: 'up' }, [401, 403, 403, 303], OWN],
  ['/ui/skins/:uuid/tags', { tag: 'knight', vote: 'down' }, [401, 403, 303, 303], OWN],
  ['/ui/skins/:uuid/report', { reason: 'other' }, ALL, SEEN],
  ['/ui/skins/:uuid/wear', { name: 'Steve' }, [401, 400, 303, 400], [401, 404, 404, 400]],
  ['/ui/skins/:uuid/undress', { name: 'Steve' }, [401, 404, 303, 404]],
  ['/ui/skins/:uuid/delete', {}, [303, 404, 404, 303], [303, 404, 404, 303]],
  ['/ui/sets/:set', { act: 'save', visibility: 'unlisted' }, OWN, OWN],
  ['/ui/sets/:set', { act: 'publish' }, OWN, OWN],
  ['/ui/sets/:set', { act: 'remove', skin: ':uuid' }, OWN, OWN],
  ['/ui/sets/:set', { move: ':uuid :first' }, OWN, OWN],
  ['/ui/sets/:set', { act: 'delete' }, OWN, OWN],
  ['/ui/sets/:set/report', { reason: 'other' }, ALL, SEEN],
  ['/ui/jobs/:jobId/retry', {}, [404, 404, 404, 400]],
  ['/ui/account/keys/:id', { name: 'new', scope: 'read' }, [401, 404, 303, 303]],
  ['/ui/account/keys/:id/revoke', {}, [303, 404, 303, 404]], // an operator has revoked it
  ['/ui/operator/skins/:uuid/hidden', { act: 'hide' }, OPERATORS, [401, 403, 404, 403]],
  ['/ui/operator/skins/:uuid/delete', {}, [303, 403, 303, 403], [303, 403, 404, 403]],
  ['/ui/operator/sets/:set', { act: 'hide' }, OPERATORS, [401, 403, 404, 403]],
  ['/ui/operator/sets/:set/delete', {}, [303, 403, 303, 403], [303, 403, 404, 403]],
  ['/ui/operator/users/:name', { plan: 'pro' }, OPERATORS],
  ['/ui/operator/users/:name/keys/:id/revoke', {}, [303, 403, 303, 403]],
];

test('Each form about something of a user answers each visitor as the table says', async () => {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  await server.user('bob');
  const [bob, owner, operator] = [
    await signedIn(server, 'bob', EVERY_USER),
    await signedIn(server, 'ann', EVERY_USER),
    await signedIn(server, 'owner', SCOPES),
  ];
  const people = [new PlainBrowser(server.url), bob.person, operator.person, owner.person];
  const first = (await ann.upload('/v2/generate', skinPng(1), { name: 'First' })).body.skin!;
  let made = 1;
  const make = async (visibility: string): Promise<Samples> => {
    const uuid = (await ann.upload('/v2/generate', skinPng(++made), { visibility })).body.skin!.uuid;
    const input = { name: `Team ${made}`, visibility, skins: [first.uuid, uuid] };
    const { set } = (await ann.json('/v2/sets', input)).body;
    return { ...NOTHING, uuid, set: set!.uuid, name: 'ann' };
  };
  const { job } = (await ann.upload('/v2/queue', skinPng(1))).body;
  for (const [path, form, ...expected] of DEEDS) {
    for (const [at, visibility] of ['public', 'private'].slice(0, expected.length).entries()) {
      const samples = await make(visibility);
      const { key } = path.includes('/keys/') ? (await ann.json('/v2/account/keys', {})).body : {};
      const address = addressOf(path, { ...samples, jobId: job!.id, id: key?.id ?? '0' });
      const fields = Object.entries(form).map(([name, text]) => [
        name,
        text.replace(':uuid', samples['uuid']!).replace(':first', first.uuid),
      ]);
      const answers: number[] = [];
      // The owner last, except where operators decide: what is refused changes nothing for those after.
      for (const person of people)
        answers.push((await person.open(address, { form: Object.fromEntries(fields) })).status);
      expect([path, form, visibility, answers]).toEqual([path, form, visibility, expected[at]]);
    }
  }
});
