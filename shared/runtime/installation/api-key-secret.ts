import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { publicId } from '../../domain/ids/ids.ts';

const ownPattern = /^mk_[0-9a-z]{26}_[0-9a-f]{48}$/;
/** Of the checksum, hexadecimal, at the end. */
const checksumLength = 8;

/**
 * `mk_<id>_<secret><checksum>`: the key's id, 160 random bits, and a checksum by which what was cut or made up is told
 * from what may have been issued, without a look at the database.
 */
export function newApiKey(key: string): string {
  const [, id = ''] = publicId('apiKey', key).split('_');
  const text = `mk_${id}_${randomBytes(20).toString('hex')}`;
  return text + checksumOf(text);
}

/** A new key, and what of it is stored. */
export function issueApiKey() {
  const key = uuidv7();
  const secret = newApiKey(key);
  return { key, secret, digest: digestOfApiKey(secret) };
}

/** Whether it says of itself that it is one of ours, and cannot be: such as one that was cut or mistyped. */
export function isGarbledApiKey(secret: string): boolean {
  if (!secret.startsWith('mk_')) return false;
  return !ownPattern.test(secret) || checksumOf(secret.slice(0, -checksumLength)) !== secret.slice(-checksumLength);
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumLength, '0');
}

/**
 * What is stored of a key: SHA-256, in hexadecimal. Nothing slower is needed, as a key is no password that could be
 * guessed.
 */
export function digestOfApiKey(secret: string): string {
  return hash('sha256', secret, 'hex');
}
