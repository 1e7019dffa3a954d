import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretBox, readSecretBox, SecretBoxError, type SecretBox } from './secret-box.ts';

const place = 'action-type:award-reward:authorization';
const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** Returns the reason for which the text cannot be opened. */
function faultOf(box: SecretBox, sealed: string, context = place): string | undefined {
  try {
    box.open(sealed, context);
    return undefined;
  } catch (error) {
    if (error instanceof SecretBoxError) return error.fault;
    throw error;
  }
}

describe('a secret box', () => {
  it('opens a text that it sealed, and the sealed text does not show the secret', () => {
    const box = createSecretBox([older]);
    const { sealed } = box.seal('Bearer ünïcode 🛵', place);
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('Bearer');
    expect(box.open(sealed, place)).toBe('Bearer ünïcode 🛵');
  });

  it('seals the same secret to a different text each time', () => {
    const box = createSecretBox([older]);
    expect(box.seal('same', place).sealed).not.toBe(box.seal('same', place).sealed);
  });

  it('seals a secret to the same text with sealAlike, but only in the same place and under the same key', () => {
    const box = createSecretBox([newer, older]);
    const alike = box.sealAlike('same', place);
    expect(box.sealAlike('same', place)).toBe(alike);
    expect(box.open(alike, place)).toBe('same');
    const nonces = [
      alike,
      ...[box.sealAlike('same', `${place}s`), box.sealAlike('other', place), box.sealAlike('same', place, 1)],
    ].map((sealed) =>
      Buffer.from(sealed.split('.')[2] ?? '', 'base64url')
        .subarray(0, 12)
        .toString('hex'),
    );
    expect(new Set(nonces).size).toBe(4);
    expect(box.sealAlike('same', place, 1)).toBe(createSecretBox([older]).sealAlike('same', place));
    expect(box.keys).toBe(2);
    expect(() => createSecretBox([]).sealAlike('same', place)).toThrow('MUSTER_SECRETS_KEY is not set here');
  });

  it('refuses to open a sealed text that was moved to another place', () => {
    const box = createSecretBox([older]);
    const { sealed } = box.seal('secret', place);
    expect(faultOf(box, sealed, 'action-type:award-points:authorization')).toBe('not-authentic');
  });

  it('refuses to open a sealed text with any one bit changed', () => {
    const box = createSecretBox([older]);
    const [version = '', id = '', text = ''] = box.seal('secret', place).sealed.split('.');
    const bytes = Buffer.from(text, 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      expect(faultOf(box, `${version}.${id}.${changed.toString('base64url')}`)).toBe('not-authentic');
    }
  });

  it.each(['', 'v1', 'v1.00000000.', 'v2.00000000.AAAA', 'Bearer plain'])(
    'refuses to open a text that it did not seal: %j',
    (text) => {
      expect(faultOf(createSecretBox([older]), text)).toBe('not-authentic');
    },
  );

  it('seals with its first key and opens with each of its keys', () => {
    const before = createSecretBox([older]).seal('secret', place).sealed;
    const during = createSecretBox([newer, older]);
    expect(during.open(before, place)).toBe('secret');
    const after = createSecretBox([newer]);
    expect(after.open(during.seal('secret', place).sealed, place)).toBe('secret');
    expect(faultOf(after, before)).toBe('unknown-key');
  });

  it('reports that it has no key if none is configured', () => {
    const box = createSecretBox([]);
    expect(() => box.seal('secret', place)).toThrow('MUSTER_SECRETS_KEY is not set here');
    expect(faultOf(box, createSecretBox([older]).seal('secret', place).sealed)).toBe('no-key');
  });
});

describe('the keys of a secret box', () => {
  const text = randomBytes(32).toString('base64');

  it('may be in the environment in standard or URL-safe base64', () => {
    const { sealed } = readSecretBox({ MUSTER_SECRETS_KEY: text }).seal('secret', place);
    const urlSafe = Buffer.from(text, 'base64').toString('base64url');
    const box = readSecretBox({ MUSTER_SECRETS_KEY: `${randomBytes(32).toString('base64')}, ${urlSafe}` });
    expect(box.open(sealed, place)).toBe('secret');
  });

  it('may be in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-secret-box-'));
    const file = join(folder, 'key');
    writeFileSync(file, `${text}\n`);
    const { sealed } = readSecretBox({ MUSTER_SECRETS_KEY_FILE: file }).seal('secret', place);
    rmSync(folder, { recursive: true });
    expect(readSecretBox({ MUSTER_SECRETS_KEY: text }).open(sealed, place)).toBe('secret');
  });

  it('are optional', () => {
    expect(faultOf(readSecretBox({}), 'v1.00000000.AAAA')).toBe('no-key');
  });

  it.each([
    ['too short', randomBytes(16).toString('base64'), 'has 16 bytes: a key is 32 bytes in base64'],
    ['too long', randomBytes(33).toString('base64'), 'has 33 bytes: a key is 32 bytes in base64'],
    ['no base64', 'correct horse battery staple', 'has no base64: a key is 32 bytes in base64'],
    ['one of two keys too short', `${text},c2hvcnQ=`, 'has 5 bytes as key 2 of 2'],
    ['empty key after a comma', `${text},`, 'has 0 bytes as key 2 of 2'],
  ])('are refused without being printed: %s', (_name, keys, message) => {
    const read = () => readSecretBox({ MUSTER_SECRETS_KEY: keys });
    expect(read).toThrow(`MUSTER_SECRETS_KEY ${message}`);
    for (const key of keys.split(',').filter((one) => one !== '')) expect(read).not.toThrow(key);
  });
});
