import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { publicId } from '../../domain/ids/ids.ts';

const ownPattern = /^mk_[0-9a-z]{26}_[0-9a-f]{48}$/;
/** Hexadecimal digits of the checksum at the end. */
const checksumLength = 8;

/**
 * Creates a secret `mk_<id>_<secret><checksum>`: the key's id, 160 random bits, and a checksum. The checksum detects
 * cut or invented secrets without a look-up in the database.
 */
export function newApiKey(key: string): string {
  const [, id = ''] = publicId('apiKey', key).split('_');
  const text = `mk_${id}_${randomBytes(20).toString('hex')}`;
  return text + checksumOf(text);
}

export function issueApiKey() {
  const key = uuidv7();
  const secret = newApiKey(key);
  return { key, secret, digest: digestOfApiKey(secret) };
}

/** Returns true if the secret has Muster's prefix but cannot be valid, for example because it was cut or mistyped. */
export function isGarbledApiKey(secret: string): boolean {
  if (!secret.startsWith('mk_')) return false;
  return !ownPattern.test(secret) || checksumOf(secret.slice(0, -checksumLength)) !== secret.slice(-checksumLength);
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumLength, '0');
}

/**
 * Returns the stored digest of a secret: SHA-256, in hexadecimal. A slow hash is not needed, because random secrets
 * cannot be guessed as passwords can.
 */
export function digestOfApiKey(secret: string): string {
  return hash('sha256', secret, 'hex');
}
