import type { RateLimit } from '../../../protocol/envelope.ts';
import type { V1Skin } from '../../../protocol/v1.ts';
import { parseTexturesValue } from '../../../textures/property.ts';
import type { SkinWithData } from '../../store/skins.ts';

/** A skin's row in the format of version 1. `duplicate`: the data existed before the request that this answers. */
export function v1SkinView(
  skin: SkinWithData,
  duplicate = skin.skin_created_at > skin.data_created_at,
): V1Skin {
  const account = accountNumber(skin.account);
  return {
    id: skin.id,
    idStr: String(skin.id),
    uuid: skin.uuid,
    hash: skin.texture_hash,
    name: skin.name ?? '',
    model: skin.variant === 'slim' ? 'slim' : 'steve',
    variant: skin.variant,
    data: {
      uuid: dashed(parseTexturesValue(skin.value).profileId),
      texture: {
        value: skin.value,
        signature: skin.signature,
        url: skin.url,
        urls: { skin: skin.url, ...(skin.cape_url !== null && { cape: skin.cape_url }) },
      },
    },
    timestamp: Math.floor(skin.data_created_at / 1000),
    duration: Math.round(skin.duration),
    account,
    accountId: account,
    server: skin.server,
    private: skin.visibility === 'private',
    views: skin.views,
    duplicate,
  };
}

/** Old clients read a 32-bit integer: the first digits of the account's hexadecimal name. */
function accountNumber(account: string): number {
  return Number.parseInt(account.slice(0, 7), 16) || 0;
}

function dashed(uuid: string): string {
  return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The delay between requests, as older clients read it from headers. */
export function delayHeaders({ delay: { millis } }: RateLimit): Readonly<Record<string, string>> {
  const seconds = String(Math.ceil(millis / 1000));
  return {
    'MineSkin-Delay': seconds,
    'MineSkin-Delay-Seconds': seconds,
    'MineSkin-Delay-Millis': String(millis),
  };
}

/** A waiting time for old clients: whole numbers, with seconds rounded up. */
export function waitView(milliseconds: number): {
  delay: number;
  delayInfo: { millis: number; seconds: number };
} {
  const millis = Math.max(0, Math.ceil(milliseconds));
  const seconds = Math.ceil(millis / 1000);
  return { delay: seconds, delayInfo: { millis, seconds } };
}
