import type { KeyObject } from 'node:crypto';
import { isSignedBy } from '../../textures/signature.ts';
import type { GameKeys } from './game-keys.ts';
import { ProofError, pixelsOf, readTextures } from './proof.ts';

/** Skin data as it is kept in a lockfile or a file of its own. */
export interface KeptSkin {
  /** What it was made from, as the file calls it. */
  readonly source: string;
  readonly value: string;
  readonly signature: string;
  /** Pixel hash of the source, where it was kept. */
  readonly pixels?: string | undefined;
  /** Texture URL that was kept beside the value. */
  readonly texture?: string | undefined;
  readonly variant?: string | undefined;
  /** Whether it was asked for with a cape. */
  readonly hasCape?: boolean | undefined;
}

export interface VerifyTools {
  /** The key that should have signed; undefined: it is not known. */
  readonly publicKey: KeyObject | undefined;
  /** Who else may have signed; absent: nobody. */
  readonly gameKeys?: GameKeys | undefined;
  /** Fetches a texture; absent: nothing is fetched. */
  readonly texture: ((url: string) => Promise<Uint8Array>) | undefined;
  /** Pixel hash of the source as it is now; undefined: it is not at hand. */
  readonly sourcePixels: string | undefined;
}

/** What was found of each part. `unknown`: there was nothing to hold it against. */
export interface Verdict {
  readonly source: string;
  readonly value: 'good' | 'bad';
  readonly signature: 'good' | 'bad' | 'unknown';
  /** The texture's pixels against the source's. */
  readonly pixels: 'good' | 'bad' | 'unknown';
  /** The source as it is now against the one the skin was made from. */
  readonly picture: 'same' | 'changed' | 'unknown';
  /** What is wrong, in sentences. */
  readonly problems: readonly string[];
}

/** Looks at one skin from all sides. Nothing wrong is thrown: it is what the verdict says. */
export async function verifySkin(skin: KeptSkin, tools: VerifyTools): Promise<Verdict> {
  const problems: string[] = [];
  const texture = readTexture(skin, problems);
  const signature = await signatureOf(skin, tools, problems);
  const expected = skin.pixels ?? tools.sourcePixels;
  const pixels = texture ? await pixelsVerdict(texture.url, { expected, tools, problems }) : 'unknown';
  const { sourcePixels } = tools;
  const isKnown = skin.pixels !== undefined && sourcePixels !== undefined;
  const picture = !isKnown ? 'unknown' : sourcePixels === skin.pixels ? 'same' : 'changed';
  if (picture === 'changed') problems.push('The source has other pixels now than the skin was made from.');
  return { source: skin.source, value: texture ? 'good' : 'bad', signature, pixels, picture, problems };
}

/** Whether anything is wrong. */
export function isBad({ problems }: Verdict): boolean {
  return problems.length > 0;
}

function readTexture(skin: KeptSkin, problems: string[]) {
  try {
    const { skin: texture, cape } = readTextures(skin.value);
    if (skin.texture !== undefined && skin.texture !== texture.url) {
      problems.push('The texture address beside the value is another than the one in it.');
    }
    if (skin.variant !== undefined && skin.variant !== 'unknown' && skin.variant !== texture.variant) {
      problems.push(`The value is for ${texture.variant} arms, beside it stands ${skin.variant}.`);
    }
    if (skin.hasCape && !cape) problems.push('The value names no cape, and it was asked for with one.');
    return texture;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

async function signatureOf(
  { value, signature }: KeptSkin,
  { publicKey, gameKeys }: VerifyTools,
  problems: string[],
): Promise<Verdict['signature']> {
  if (!publicKey) return 'unknown';
  if (isSignedBy(publicKey, value, signature)) return 'good';
  if (await gameKeys?.haveSigned(value, signature)) return 'good';
  problems.push("The signature is not the key's.");
  return 'bad';
}

async function pixelsVerdict(
  url: string,
  { expected, tools, problems }: { expected: string | undefined; tools: VerifyTools; problems: string[] },
): Promise<Verdict['pixels']> {
  if (expected === undefined) return 'unknown';
  const isNamed = new URL(url).pathname.split('/').at(-1) === expected;
  if (!tools.texture) return isNamed ? 'good' : 'unknown';
  try {
    if (pixelsOf(await tools.texture(url)) === expected) return 'good';
    problems.push("The texture has other pixels than the skin's source.");
    return 'bad';
  } catch (error) {
    if (error instanceof ProofError) {
      problems.push(error.message);
      return 'bad';
    }
    // Not served now, or not reachable from here: its name is as good as its pixels where it is made of them.
    return isNamed ? 'good' : 'unknown';
  }
}
