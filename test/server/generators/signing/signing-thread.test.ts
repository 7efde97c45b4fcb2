import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, inject, test } from 'vitest';
import { SigningThread } from '../../../../src/server/generators/signing/signing-thread.ts';
import { isSignedBy } from '../../../../src/textures/signature.ts';
import { openSigningKey } from '../../../../src/textures/signing-key.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const openKey = async () => (await openSigningKey(inject('signingKeyPath'))).privateKey;

test('A thread signs one value after the other', async () => {
  const key = await openKey();
  const thread = new SigningThread(key);
  const signatures = Promise.all(['one', 'two'].map((value) => thread.sign(value)));
  expect(thread.length).toBe(2);
  const [one = '', two = ''] = await signatures;
  expect(thread.length).toBe(0);
  const publicKey = createPublicKey(key);
  expect([isSignedBy(publicKey, 'one', one), isSignedBy(publicKey, 'two', two)]).toEqual([true, true]);
  await thread.stop();
});

test('A thread that is stopped fails those who wait, and those who come later', async () => {
  const thread = new SigningThread(await openKey());
  const waiting = expect(thread.sign('value')).rejects.toThrow('The thread that signs has ended.');
  await thread.stop();
  await waiting;
  await expect(thread.sign('value')).rejects.toThrow('The thread that signs has ended.');
});

test('A thread whose key cannot sign fails with the reason', async () => {
  const { privateKey } = generateKeyPairSync('x25519');
  const thread = new SigningThread(privateKey);
  await expect(thread.sign('value')).rejects.toThrow(/not supported/);
});

test('A process ends although a thread has nothing to sign, but not before it has signed', async () => {
  const source = fileURLToPath(
    import.meta.resolve('../../../../src/server/generators/signing/signing-thread.ts'),
  );
  const program = `
    import { createPrivateKey } from 'node:crypto';
    import { readFileSync } from 'node:fs';
    const { SigningThread } = await import(${JSON.stringify(source)});
    const thread = new SigningThread(createPrivateKey(readFileSync(${JSON.stringify(inject('signingKeyPath'))})));
    await thread.sign('the first one waits for the start');
    void Promise.all(Array.from({ length: 20 }, () => thread.sign('value'))).then(({ length }) => console.log(length));`;
  const file = join(await ownFolder(), 'sign.mjs');
  await writeFile(file, program);
  const { stdout } = await execa(process.execPath, [file]);
  expect(stdout).toBe('20');
});
