import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintIn } from '../../batch/verify-skin.ts';
import { SkinsmithError } from '../../client/errors.ts';
import { PrivateAddressError } from '../../dispatch/proof.ts';
import type { HealthFinding } from '../../protocol/service.ts';
import type { ServiceNaming } from '../errors/service-hints.ts';
import { isLoopback } from '../text/text.ts';
import {
  type Check,
  type CheckFinding,
  type CheckName,
  hintFor,
  ok,
  problem,
  skipped,
  warning,
} from './check.ts';
import { configCheck, dataCheck, programCheck, settingsCheck } from './machine-checks.ts';
import {
  answerCheck,
  clockCheck,
  connectionCheck,
  keyCheck,
  limitsCheck,
  serviceCheck,
  slotsCheck,
} from './service-checks.ts';
import { type NoDiagnosis, ProbeError, readinessIn, type Setup } from './setup.ts';

const SEVERITY = ['ok', 'warning', 'problem'] as const satisfies readonly HealthFinding['result'][];

/** Merges several findings of the service: the result is that of the worst, which comes first. */
export function summary(findings: readonly HealthFinding[], naming: ServiceNaming): CheckFinding {
  const worstFirst = findings.toSorted((a, b) => SEVERITY.indexOf(b.result) - SEVERITY.indexOf(a.result));
  const [worst] = worstFirst;
  if (!worst) return skipped('Nothing to check.');
  const detail = worstFirst.map(({ message }) => message).join(' ');
  return { result: worst.result, detail, hint: hintFor([worst.code], naming) };
}

const WHY = {
  not_skinsmith: 'Only a skinsmith service reports its state.',
  not_operator: 'Only the operator of the service can see its state.',
} satisfies Record<NoDiagnosis, string>;

function notDiagnosed(why: NoDiagnosis): CheckFinding {
  return skipped(WHY[why]);
}

/** Checks the service's generator: its kind and whether it works. */
const generatorCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    if (typeof diagnosis === 'string') return notDiagnosed(diagnosis);
    const { kind, findings } = diagnosis.generator;
    const { detail, ...rest } = summary(findings, setup.context);
    return { ...rest, detail: `${kind}: ${detail}` };
  },
};

/** Checks that people can sign in with the accounts of the service's OpenID Connect provider. */
const signInCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    if (typeof diagnosis === 'string') return notDiagnosed(diagnosis);
    if (!diagnosis.openId) return ok('The service has no OpenID Connect provider.');
    return summary(diagnosis.openId.findings, setup.context);
  },
};

/** Why the service cannot even look up keys: `/ready` tells this to everyone. */
const LOST: Readonly<Record<string, string>> = {
  store_unreachable: 'The service cannot reach its database, or gets no answer from it.',
  store_replaced: 'The store was removed or replaced while the service was running.',
  store_too_new: 'A newer skinsmith has upgraded the store; this version can no longer use it.',
};

/** Checks the service's store: its schema, whether it is writable, and whether it is damaged. */
const storeCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const naming = setup.context;
    const reasons = (await setup.readiness())?.reasons ?? [];
    const lost = reasons.find((reason) => Object.hasOwn(LOST, reason));
    if (lost !== undefined) return problem(LOST[lost] ?? lost, hintFor([lost], naming));
    const diagnosis = await setup.diagnosis();
    if (typeof diagnosis === 'string') return notDiagnosed(diagnosis);
    return summary(diagnosis.store.findings, naming);
  },
};

/** Checks that the key for verifying the service's signatures is known. */
const signatureCheck: Check = {
  needs: ['answer'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    // Requesting the key would generate it, which takes a while.
    if (isEmbedded && !existsSync(join(setup.context.folders.data, 'signing-key.pem'))) {
      return ok('This machine has no signing key yet; the first skin creates it.');
    }
    const pem = (await setup.keyDocument())?.signaturePublickey;
    if (pem === undefined) {
      return ok('The service publishes no key of its own, so its skins should be signed by Mojang.');
    }
    const fingerprint = fingerprintIn(pem);
    if (fingerprint !== undefined)
      return ok(`The service publishes its public key (${fingerprint}); results are verified with it.`);
    return problem(
      'The public key that the service publishes is not a valid key.',
      'See the log of the service.',
    );
  },
};

/** Checks that the texture addresses in skins can be reached. */
const texturesCheck: Check = {
  needs: ['key', 'answer'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    const isOwn = typeof diagnosis !== 'string' && diagnosis.generator.kind === 'signing';
    return isOwn ? await ownAddress(diagnosis.publicUrl, setup) : await sample(setup);
  },
};

/** A skinsmith service with its own signing key writes its public address into every skin. */
async function ownAddress(publicUrl: string, setup: Setup): Promise<CheckFinding> {
  const { client, isEmbedded } = await setup.connection();
  const { hostname } = new URL(client.baseUrl);
  const says = `Texture URLs of new skins start with ${publicUrl}`;
  if (isEmbedded) return (await isThere(publicUrl, setup)) === 'skinsmith' ? ok(`${says}.`) : asleep(says);
  if (publicUrl === client.baseUrl) return ok(`${says}, the address of the service.`);
  if (isLoopback(new URL(publicUrl).hostname) && !isLoopback(hostname)) {
    return problem(`${says}, which only the service's own machine can reach.`, TELL_IT);
  }
  const found = await isThere(publicUrl, setup);
  if (found === 'skinsmith')
    return (await refusedBy(setup, publicUrl)) ?? ok(`${says}, where a skinsmith service answers.`);
  if (found === 'other') return problem(`${says}, where another program answers.`, TELL_IT);
  return warning(`${says}, where nothing answers from here.`, TELL_IT);
}

/** The finding if this program would not fetch textures from there. */
async function refusedBy(setup: Setup, publicUrl: string): Promise<CheckFinding | undefined> {
  const { client } = await setup.connection();
  try {
    await client.texture(`${publicUrl}/textures/${NO_TEXTURE}`, setup.call());
  } catch (error) {
    if (error instanceof PrivateAddressError) return problem(error.message, error.hint);
    if (!(error instanceof SkinsmithError)) throw error;
  }
  return undefined;
}

const NO_TEXTURE = '0'.repeat(64);
const TELL_IT = 'Tell the service how players reach it: skinsmith serve --public-url https://…';

function asleep(says: string): CheckFinding {
  return warning(
    `${says}, but no service is running there, so other players cannot see these skins.`,
    'Run skinsmith serve; if players are on other machines, with --public-url.',
  );
}

async function isThere(url: string, setup: Setup): Promise<'skinsmith' | 'other' | 'nothing'> {
  try {
    return readinessIn(await setup.probe(`${url}/ready`)) ? 'skinsmith' : 'other';
  } catch (error) {
    if (error instanceof ProbeError) return 'nothing';
    throw error;
  }
}

/** For services that do not report the address, the newest public skin shows it. */
async function sample(setup: Setup): Promise<CheckFinding> {
  const { client } = await setup.connection();
  const [newest] = (await client.publicSkins({ size: 1 }, setup.call())).skins;
  if (!newest) return skipped('No public skin to test a texture with.');
  const { url } = (await client.skin(newest.uuid, setup.call())).texture;
  try {
    await client.texture(url.skin, setup.call());
    return ok(`The texture of the newest public skin can be fetched from ${new URL(url.skin).origin}.`);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    const hint =
      error instanceof PrivateAddressError
        ? error.hint
        : "The operator should check the service's public address.";
    return problem(`The texture of the newest public skin cannot be fetched: ${error.message}`, hint);
  }
}

export const CHECKS = {
  program: programCheck,
  config: configCheck,
  settings: settingsCheck,
  data: dataCheck,
  service: serviceCheck,
  connection: connectionCheck,
  answer: answerCheck,
  key: keyCheck,
  clock: clockCheck,
  limits: limitsCheck,
  slots: slotsCheck,
  textures: texturesCheck,
  signature: signatureCheck,
  store: storeCheck,
  generator: generatorCheck,
  'sign-in': signInCheck,
} satisfies Record<CheckName, Check>;
