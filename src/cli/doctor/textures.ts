import { SkinsmithError } from '../../index.ts';
import { isLoopback } from '../text/loopback.ts';
import { type Check, type Finding, ok, problem, skipped, warning } from './check.ts';
import { ProbeError } from './probe.ts';
import { readinessIn, type Setup } from './setup.ts';

/** Checks that the texture addresses in skins can be reached. */
export const texturesCheck: Check = {
  needs: ['key', 'answer'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    const isOwn = typeof diagnosis !== 'string' && diagnosis.generator.kind === 'signing';
    return isOwn ? await ownAddress(diagnosis.publicUrl, setup) : await sample(setup);
  },
};

/** A skinsmith service with its own signing key writes its public address into every skin. */
async function ownAddress(publicUrl: string, setup: Setup): Promise<Finding> {
  const { client, isEmbedded } = await setup.connection();
  const { hostname } = new URL(client.baseUrl);
  const says = `Texture URLs of new skins start with ${publicUrl}`;
  if (isEmbedded) return (await isThere(publicUrl, setup)) === 'skinsmith' ? ok(`${says}.`) : asleep(says);
  if (publicUrl === client.baseUrl) return ok(`${says}, the address of the service.`);
  if (isLoopback(new URL(publicUrl).hostname) && !isLoopback(hostname)) {
    return problem(`${says}, which only the service's own machine reaches.`, TELL_IT);
  }
  const found = await isThere(publicUrl, setup);
  if (found === 'skinsmith') return ok(`${says}, where a skinsmith service answers.`);
  if (found === 'other') return problem(`${says}, where another program answers.`, TELL_IT);
  return warning(`${says}, where nothing answers from here.`, TELL_IT);
}

const TELL_IT = 'Tell the service how players reach it: skinsmith serve --public-url https://…';

function asleep(says: string): Finding {
  return warning(
    `${says}, but no service is running there, so nobody can see these skins.`,
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
async function sample(setup: Setup): Promise<Finding> {
  const { client } = await setup.connection();
  const [newest] = (await client.publicSkins({ size: 1 }, setup.call())).skins;
  if (!newest) return skipped('No public skin to test a texture with.');
  const { url } = (await client.skin(newest.uuid, setup.call())).texture;
  try {
    await client.texture(url.skin, setup.call());
    return ok(`The texture of the newest public skin can be fetched from ${new URL(url.skin).origin}.`);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    return problem(
      `The texture of the newest public skin cannot be fetched: ${error.message}`,
      'Its operator should see to the public address of the service.',
    );
  }
}
