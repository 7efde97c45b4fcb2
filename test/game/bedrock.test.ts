import { describe, expect, test } from 'vitest';
import { fetchBedrockProfile, floodgatePlayer, parseBedrockPlayer } from '../../src/game/bedrock.ts';
import { isSignedBy, parsePublicKey } from '../../src/textures/signing-key.ts';
import { callGame } from '../support/fake-game/run-game.ts';
import { gameErrorOf } from '../support/game/told.ts';
import { drawSkin } from '../support/server/drawn-skins.ts';
import { webServer } from '../support/server/web-server.ts';

const XUID = '2535432196048835';
const UUID = '00000000-0000-0000-0009-01f64f65c7c3';

describe('A player of Bedrock Edition', () => {
  test.each([
    ['bedrock:Tim203', 'tim203'],
    ['BEDROCK:Tim203', 'tim203'],
    ['bedrock: Some Name ', 'some name'],
    ['bedrock:.Some_Name', 'some name'],
    ['bedrock:Some#1234', 'some1234'],
    ['bedrock:Ünal', 'ünal'],
    ['.Tim203', 'tim203'],
    ['.Some_Name', 'some name'],
    [XUID, XUID],
    [`bedrock:${XUID}`, XUID],
    [UUID, XUID],
    [UUID.replaceAll('-', '').toUpperCase(), XUID],
  ])('is written as %s', (text, player) => {
    expect(parseBedrockPlayer(text)).toBe(player);
  });

  test.each([
    ['a name of Java Edition', 'Tim203'],
    ['a name of digits', '1234567890123456'],
    ['a UUID of Java Edition', 'd34eb447-6e90-4c78-9281-600df88aef1d'],
    ['the UUID of nobody', '00000000-0000-0000-0000-000000000000'],
    ['a UUID of Java Edition that is said to be one', 'bedrock:d34eb447-6e90-4c78-9281-600df88aef1d'],
    ['nothing', 'bedrock:'],
    ['a dot', '.'],
    ['a path', './Tim203'],
    ['a name with a dot', '.gitignore.bak'],
    ['a name of 17 characters', `bedrock:${'a'.repeat(17)}`],
    ['a name with two spaces', 'bedrock:a  b'],
    ['control characters', 'bedrock:a\u001bb'],
    ['other paths of the service', 'bedrock:../skin'],
  ])('is not written as %s', (_, text) => {
    expect(parseBedrockPlayer(text)).toBeUndefined();
  });

  test('has a UUID and a name on servers', () => {
    expect(floodgatePlayer(XUID)).toEqual({ id: UUID.replaceAll('-', '') });
    expect(floodgatePlayer('bedrock:Some Name')).toEqual({ name: '.some name' });
    expect(floodgatePlayer('Notch')).toBeUndefined();
  });
});

describe('The skin data', () => {
  test("is found by gamertag and by XUID, with Mojang's signature", async () => {
    const { fake, game } = await callGame();
    fake.geyser.add({ gamertag: 'Some Name', xuid: XUID, skin: { picture: drawSkin(1), variant: 'slim' } });
    for (const xuids of ['number', 'text'] as const) {
      fake.geyser.xuids = xuids;
      for (const player of ['some name', XUID]) {
        const profile = await fetchBedrockProfile(game.http, player);
        expect(profile).toMatchObject({
          id: UUID.replaceAll('-', ''),
          name: `.${player}`,
          textures: {
            skin: { url: `${fake.url}/texture/${fake.textures.keep(drawSkin(1))}`, variant: 'slim' },
          },
        });
        expect(isSignedBy(parsePublicKey(fake.publicKey), profile.value, profile.signature)).toBe(true);
      }
    }
    expect(fake.calls.map(({ kind }) => kind).filter((kind) => kind === 'xuid')).toHaveLength(2);
  });

  test('is missing for different reasons for an unknown player and for one who never joined through Geyser', async () => {
    const { fake, game } = await callGame();
    fake.geyser.add({ gamertag: 'Ann', xuid: XUID });
    expect(await gameErrorOf(fetchBedrockProfile(game.http, 'bob'))).toMatchObject({ kind: 'not_found' });
    expect(await gameErrorOf(fetchBedrockProfile(game.http, 'ann'))).toMatchObject({ kind: 'no_skin' });
    expect(await gameErrorOf(fetchBedrockProfile(game.http, XUID))).toMatchObject({ kind: 'no_skin' });
  });

  test.each(['cache-control', 'retry-after'] as const)(
    'is not requested at a limit, for as long as %s says',
    async (header) => {
      const { fake, game } = await callGame();
      fake.geyser.limit = { seconds: 90, header };
      const error = await gameErrorOf(fetchBedrockProfile(game.http, 'ann'));
      expect(error).toMatchObject({ kind: 'rate_limited', status: 503, retryAfter: 90_000 });
      expect(await gameErrorOf(fetchBedrockProfile(game.http, 'ann'))).toMatchObject({
        kind: 'rate_limited',
      });
      expect(fake.calls).toHaveLength(1);
    },
  );

  test.each<[what: string, body: string]>([
    ['a page', '<!doctype html>'],
    ['a list', '[]'],
    ['an XUID that is none', '{"xuid":-1}'],
    ['an XUID that is a path', '{"xuid":"../x"}'],
    ['skin data that is none', '{"xuid":1,"value":"AAAA","signature":"AAAA"}'],
    ['a long value', JSON.stringify({ xuid: 1, value: 'A'.repeat(40_000), signature: 'AAAA' })],
    ['no end', `{"xuid":1,"x":"${'x'.repeat(200_000)}"}`],
  ])('is not read from %s', async (_, body) => {
    const server = await webServer((_request, response) => void response.end(body));
    const { game } = await callGame({}, { addresses: { geyser: server.url } });
    const error = await gameErrorOf(fetchBedrockProfile(game.http, 'ann'));
    expect(error.kind).toBe('unexpected');
    expect(error.message.length).toBeLessThan(300);
  });
});
