import { isAboutCertificate, networkReason } from '../../base/error-reasons.ts';
import { parsedJson } from '../../base/text.ts';
import { VERSION } from '../../base/version.ts';
import { ServiceError } from '../../client/errors.ts';
import { isHostedService } from '../../dispatch/service-facts.ts';
import type { ReceivedRateLimit as RateLimit } from '../../protocol/envelope.ts';
import { isPending } from '../../protocol/job.ts';
import {
  addressHint,
  bindingOf,
  certificateHint,
  forService,
  otherAddressHint,
  PROXY_HINT,
  type ServiceNaming,
  validKeyHint,
} from '../errors/service-hints.ts';
import { masked } from '../text/text.ts';
import { type Check, type CheckFinding, hintFor, ok, problem, skipped, warning } from './check.ts';
import { type ProbeAnswer, ProbeError, type Readiness, type Setup, type Stage } from './setup.ts';
/** Reports which service commands use, and why. */
export const serviceCheck: Check = {
  needs: ['config'],
  look: async (setup) => {
    const { baseUrl, from } = await setup.service();
    if (baseUrl !== undefined) return ok(`${baseUrl} (from ${from}).`);
    const why = from === undefined ? '' : ` (because of ${from})`;
    return ok(`The embedded service${why}, with its data in ${setup.context.folders.data}.`);
  },
};

/** Checks each stage of a request to the service, and whether a compatible service answers. */
export const connectionCheck: Check = {
  needs: ['service'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    try {
      const answer = await setup.firstAnswer();
      const place = isEmbedded ? 'The embedded service' : answer.url.origin;
      return findingOf(answer, place, setup.context);
    } catch (error) {
      if (error instanceof ProbeError) return STAGES[error.stage](error, setup.context);
      throw error;
    }
  },
};

function findingOf(answer: ProbeAnswer, place: string, naming: ServiceNaming): CheckFinding {
  const { status, text, times, proxy } = answer;
  const total = Math.round([...times.values()].reduce((sum, time) => sum + time, 0));
  if (status >= 300 && status < 400) return redirected(answer, naming);
  if (parsedJson(text) === undefined) return notJson(answer, place, naming);
  if (status === 429) return warning(`${place} is limiting requests now.`, 'Wait a minute.');
  if (status >= 500) {
    return warning(`${place} answers, but with an error (status ${status}).`, 'Try again later.');
  }
  if (proxy !== undefined) return ok(`${place} answers in ${total} ms through ${proxy}.`);
  const parts = [...times].map(([stage, time]) => `${stage} ${Math.round(time)}`).join(', ');
  return ok(`${place} answers in ${total} ms (${parts}).`);
}

function redirected({ status, location, url }: ProbeAnswer, naming: ServiceNaming): CheckFinding {
  const target = location === undefined ? undefined : URL.parse(location, url.href)?.origin;
  const isElsewhere = target !== undefined && target !== url.origin;
  return problem(
    `${url.origin} answers ${status} and redirects to ${target ?? 'nowhere'}; redirects are not followed.`,
    isElsewhere ? `If that is the service: ${otherAddressHint(target, naming)}` : addressHint(naming),
  );
}

function notJson({ status, text, url }: ProbeAnswer, place: string, naming: ServiceNaming): CheckFinding {
  if (/^\s*</.test(text)) {
    return problem(
      `${place} answers ${status} with an HTML page, which probably comes from a proxy, a network's sign-in page or another program.`,
      `Open ${url.origin} in a browser to see where it comes from. ${addressHint(naming)}`,
    );
  }
  return problem(`${place} answers ${status}, but not with JSON.`, addressHint(naming));
}

const STAGES = {
  name: ({ url, code }, naming) => {
    if (code === 'ENOTFOUND') return problem(`No host ${url.hostname}.`, addressHint(naming));
    return problem(`Cannot look up the name ${url.hostname} (${code}).`, 'Is this machine online?');
  },
  connection: ({ url, code }) => {
    if (code === 'ECONNREFUSED') return problem(`Nothing listens at ${url.host}.`, 'Is the service running?');
    return problem(
      `Cannot connect to ${url.host} (${code}).`,
      'Is this machine online, or does a firewall block the connection?',
    );
  },
  tls: ({ url, code, cause }, naming) =>
    isAboutCertificate(cause)
      ? problem(`The certificate of ${url.host} is not accepted (${code}).`, certificateHint(cause, naming))
      : problem(`${url.host} does not speak TLS (${code}).`, `Is it http://${url.host}?`),
  answer: ({ url, code }) =>
    problem(`${url.host} was reached, but did not answer (${code}).`, 'See the log of the service.'),
  proxy: ({ url, cause }, naming) =>
    problem(
      `${url.host} cannot be reached: ${networkReason(cause)}.`,
      isAboutCertificate(cause) ? certificateHint(cause, naming) : PROXY_HINT,
    ),
} satisfies Record<Stage, (error: ProbeError, naming: ServiceNaming) => CheckFinding>;

/** Identifies the sender of a response: skinsmith, the hosted service or another server. */
export const answerCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { url, text } = await setup.firstAnswer();
    const readiness = await setup.readiness();
    if (readiness) return ofSkinsmith(readiness, setup.context);
    const json = parsedJson(text);
    if (!isEnvelope(json)) {
      return problem(
        `${url.origin} answers, but not like a skin service: it is another program.`,
        addressHint(setup.context),
      );
    }
    if (isNothing(json)) return problem(`Nothing at ${url.href}.`, addressHint(setup.context));
    if (isHostedService(url.href)) return ok(`${url.hostname} is the hosted service.`);
    return ok(`${url.origin} speaks the v2 interface; it is not skinsmith.`);
  },
};

const SEE_LOG = 'See the log of the service.';

function ofSkinsmith({ status, version, reasons }: Readiness, naming: ServiceNaming): CheckFinding {
  const which = version === VERSION ? `skinsmith ${version}` : `skinsmith ${version} (here: ${VERSION})`;
  if (status === 'ready') return ok(`${which}, ready.`);
  return problem(`${which} accepts no work now: ${reasons.join(', ')}.`, hintFor(reasons, naming) ?? SEE_LOG);
}

/** skinsmith's answer to unknown addresses, such as below a wrong path. */
function isNothing(json: unknown): boolean {
  const { errors } = (json ?? {}) as { errors?: unknown };
  return Array.isArray(errors) && errors[0]?.code === 'not_found';
}

/** Fields that every response of API version 2 has. */
function isEnvelope(json: unknown): boolean {
  const { success, errors } = (json ?? {}) as { success?: unknown; errors?: unknown };
  return typeof success === 'boolean' || Array.isArray(errors);
}

/** Allowed difference between two clocks in milliseconds; the Date header has a resolution of one second. */
const MAX_OFFSET = 5_000;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Compares this machine's clock with the service's. */
export const clockCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    if (isEmbedded) return ok("The embedded service uses this machine's clock.");
    const offset = (await offsetByHeader(setup)) ?? (await offsetByLimits(setup));
    if (offset === undefined) return skipped('The service does not say what time it is.');
    if (Math.abs(offset) <= MAX_OFFSET)
      return ok("This machine's clock agrees with the service's to within a few seconds.");
    return warning(
      `This machine's clock is ${inWords(Math.abs(offset) / 1000)} ${offset < 0 ? 'ahead of' : 'behind'} the service's.`,
      'Synchronize the clock of this machine (NTP): waits and expiry times depend on it.',
    );
  },
};

/** `9 seconds`, `1 hour`: in the largest unit of which there are at least two, or exactly one. */
function inWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => seconds >= 1.5 * one || Math.round(seconds) === one) ?? [
    'second',
    1,
  ];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.round(seconds / size),
  );
}

/** The least by which the service's clock is ahead: it read its clock at some moment during the request. */
async function offsetByHeader(setup: Setup): Promise<number | undefined> {
  const { date, askedAt, answeredAt } = await setup.firstAnswer();
  const theirs = Date.parse(date ?? '') + 500;
  return Number.isNaN(theirs) ? undefined : theirs - Math.min(Math.max(theirs, askedAt), answeredAt);
}

/** A time and the milliseconds until then, which together give the current time there. */
async function offsetByLimits(setup: Setup): Promise<number | undefined> {
  const { absolute, relative = 0 } = (await setup.rateLimit()).next ?? {};
  return absolute !== undefined && relative > 0 ? absolute - relative - setup.context.clock.now() : undefined;
}

/** Checks that there is a key for the service, and that the service accepts it from this machine. */
export const keyCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    if (isEmbedded) return ok('The embedded service needs no key.');
    const key = await setup.key();
    if (key === undefined) return await noKey(setup);
    const shown = `${masked(key.slice(-4))}, ${await placeOf(setup)}`;
    try {
      const me = await setup.me();
      if (!me) return ok(`The key (${shown}) is valid but belongs to no account.`);
      return ok(`The key (${shown}) is valid and belongs to ${me.name ?? me.user}.`);
    } catch (error) {
      if (!(error instanceof ServiceError) || ![401, 403].includes(error.status)) throw error;
      return refused(error, shown, setup);
    }
  },
};

async function placeOf({ context: { env, configFile } }: Setup): Promise<string> {
  return env['SKINSMITH_API_KEY']?.trim()
    ? 'from SKINSMITH_API_KEY'
    : `stored in ${(await configFile()).path}`;
}

/** Mentions a key stored for the same host under another address, which is probably the right one. */
async function noKey(setup: Setup): Promise<CheckFinding> {
  const { client } = await setup.connection();
  const { hostname } = new URL(client.baseUrl);
  const configFile = await setup.context.configFile();
  const places = Object.keys(await configFile.keyPlaces());
  const near = places.find((place) => URL.parse(place)?.hostname === hostname);
  const detail = 'No API key is stored, so the limits for anonymous callers apply.';
  const naming = setup.context;
  if (near === undefined) return warning(detail, `Store one: ${forService('skinsmith login', naming)}`);
  return warning(
    `${detail} One is stored for another address, ${near}.`,
    `To use that address: ${otherAddressHint(near, naming)}`,
  );
}

function refused(error: ServiceError, shown: string, setup: Setup): CheckFinding {
  const binding = bindingOf(error);
  if (binding) return problem(`The key (${shown}) ${binding.problem}`, binding.hint);
  return problem(
    `The service does not accept the key (${shown}): ${error.message}`,
    `It was mistyped, revoked, or belongs to another service. ${validKeyHint(setup.context)}`,
  );
}

type Window = NonNullable<NonNullable<RateLimit['limit']>['minute']>;

export const limitsCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const me = await setup.me();
    const { limit } = await setup.rateLimit();
    const plan = me ? (me.grants.plan ?? 'unknown') : 'anonymous';
    const { minute = limit, hour } = limit ?? {};
    const windows = [leftOf('minute', minute), leftOf('hour', hour)].filter((window) => window !== undefined);
    const left = windows.length === 0 ? 'no limits reported' : windows.map(({ text }) => text).join(', ');
    const detail = `Plan ${plan}: ${left}.`;
    if (windows.every(({ isSpent }) => !isSpent)) return ok(detail);
    return warning(
      detail,
      `New skins wait until the limit resets: ${forService('skinsmith whoami', setup.context)}`,
    );
  },
};

/** Undefined if the service reports no such limit. */
function leftOf(
  name: string,
  { limit = 0, remaining }: Window = {},
): { text: string; isSpent: boolean } | undefined {
  if (limit <= 0 || remaining === undefined) return undefined;
  const text = `${Math.max(0, remaining)} of ${limit} skins left this ${name}`;
  return { text, isSpent: remaining <= 0 };
}

/** Queue slots that every caller has. */
const USUAL_SLOTS = 5;

/** Checks how many of the caller's queue slots are free. */
export const slotsCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const slots = (await setup.me())?.grants.queue ?? USUAL_SLOTS;
    try {
      const pending = (await setup.jobs()).filter(({ status }) => isPending(status)).length;
      const detail = `${Math.min(pending, slots)} of ${slots} slots in the queue are taken.`;
      if (pending < slots) return ok(detail);
      const list = forService('skinsmith jobs --status waiting', setup.context);
      return warning(detail, `List the jobs: ${list}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      return skipped('The service lists jobs only for callers with a key.');
    }
  },
};
