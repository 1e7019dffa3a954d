import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { z } from 'zod';
import { readEnvironment } from './environment.ts';

/**
 * Reason for a failure.
 * - `no-key`: this process has no key.
 * - `unknown-key`: this process has other keys than the one that sealed the secret.
 * - `not-authentic`: the text is no sealed secret, was changed, or was sealed for another context.
 */
export type SecretBoxFault = 'no-key' | 'unknown-key' | 'not-authentic';

/** A secret that cannot be sealed or opened. The message never contains a secret or a key. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly fault: SecretBoxFault;

  constructor(fault: SecretBoxFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Encrypts secrets for a database that may be copied: AES-256-GCM, with keys that are not in the database. */
export interface SecretBox {
  /** Number of keys: key 0 seals, and each key opens. */
  readonly keys: number;
  /**
   * Encrypts a secret.
   * @param context owner of the secret, such as `action-type:award-reward:authorization`; it cannot be opened for
   * another context
   * @throws {SecretBoxError} `no-key`
   */
  seal(plain: string, context: string): { sealed: string };
  /**
   * Encrypts deterministically: the same text for the same secret in the same context, and no other. Callers can
   * compare a secret with the stored one without opening the stored one. Readers of the database can compare stored
   * secrets too, and learn nothing else.
   * @param key number of the key that seals
   * @throws {SecretBoxError} `no-key`
   */
  sealAlike(plain: string, context: string, key?: number): string;
  /** @throws {SecretBoxError} with the fault */
  open(sealed: string, context: string): string;
}

const keyBytes = 32;
/** Default nonce size of GCM. Random nonces are safe for 2^32 secrets under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const form = 'v1';
const howToMake = 'make one with: openssl rand -base64 32';

const oneKey = /^[A-Za-z0-9+/_-]{43}=?$/;

export const secretsEnvironment = z.object({
  /** Keys separated by commas: the first seals, each opens. */
  MUSTER_SECRETS_KEY: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .superRefine((keys, context) => {
      for (const [index, key] of keys.entries()) {
        if (oneKey.test(key)) continue;
        const isBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/.test(key);
        const has = isBase64 ? `has ${Buffer.from(key, 'base64').length} bytes` : 'has no base64';
        const which = keys.length === 1 ? '' : ` as key ${index + 1} of ${keys.length}`;
        context.addIssue(`${has}${which}: a key is ${keyBytes} bytes in base64; ${howToMake}`);
      }
    })
    .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')))
    .optional()
    .meta({
      description:
        'Keys that encrypt secrets in the database, 32 bytes in base64 each: ' +
        '[secrets in the database](../configuration.md#secrets-in-the-database)',
      usual: 'none: requests that need a secret are refused',
    }),
});

interface Key {
  /** Identifies the key beside a sealed secret, and reveals nothing of the key. */
  id: string;
  key: KeyObject;
  nonceKey: KeyObject;
}

/**
 * Creates a box with the keys of `MUSTER_SECRETS_KEY` or of the file in `MUSTER_SECRETS_KEY_FILE`. Without keys, the
 * box refuses every secret.
 * @throws {ConfigurationError} if a key has another length
 */
export function readSecretBox(environment: NodeJS.ProcessEnv): SecretBox {
  const { MUSTER_SECRETS_KEY: keys = [] } = readEnvironment(secretsEnvironment, environment);
  return createSecretBox(keys);
}

/** @param keys 32 bytes each: the first seals, each opens */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const known = keys.map(keyOf);
  const requireKey = (number = 0): Key => {
    const found = known[number];
    if (found) return found;
    throw new SecretBoxError(
      'no-key',
      `MUSTER_SECRETS_KEY is not set here, and secrets are kept with it; ${howToMake}`,
    );
  };

  return {
    keys: known.length,
    seal: (plain, context) => ({ sealed: sealedWith(requireKey(), plain, context, randomBytes(nonceBytes)) }),
    sealAlike: (plain, context, number) => {
      const key = requireKey(number);
      return sealedWith(key, plain, context, nonceOf(key, plain, context));
    },

    open: (sealed, context) => {
      requireKey();
      const [version, id = '', text = '', ...more] = sealed.split('.');
      const box = Buffer.from(text, 'base64url');
      if (version !== form || more.length > 0 || box.length < nonceBytes + tagBytes) {
        throw new SecretBoxError('not-authentic', `what is kept for ${context} is no sealed secret of this version`);
      }
      const found = known.find((candidate) => candidate.id === id);
      if (!found) {
        const problem = `the secret for ${context} was sealed with another key (${id}) than MUSTER_SECRETS_KEY has here`;
        throw new SecretBoxError('unknown-key', `${problem}: ${known.map((key) => key.id).join(', ')}`);
      }
      return opened(found, box, context);
    },
  };
}

function sealedWith({ id, key }: Key, plain: string, context: string, nonce: Buffer): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(id, context));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `${form}.${id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
}

/** Derives a nonce that looks random without the key, and differs for each secret and context. */
function nonceOf({ nonceKey }: Key, plain: string, context: string): Buffer {
  return createHmac('sha256', nonceKey)
    .update(JSON.stringify([context, plain]))
    .digest()
    .subarray(0, nonceBytes);
}

function opened({ id, key }: Key, box: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(boundTo(id, context));
  decipher.setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(box.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch (error) {
    const problem = `the secret for ${context} does not open: it was changed, or sealed for another place`;
    throw new SecretBoxError('not-authentic', problem, { cause: error });
  }
}

/** Returns authenticated data: a secret sealed for one context, or one key id, does not open for another. */
function boundTo(id: string, context: string): Buffer {
  return Buffer.from(`${form}.${id}.${context}`);
}

function keyOf(bytes: Buffer): Key {
  if (bytes.length !== keyBytes) throw new TypeError(`a key has to have ${keyBytes} bytes, not ${bytes.length}`);
  // The prefix keeps the id from revealing any other value derived from the key.
  const named = Buffer.concat([Buffer.from('muster secret box key '), bytes]);
  const nonceKey = createHmac('sha256', bytes).update('muster secret box nonces').digest();
  return {
    id: hash('sha256', named, 'hex').slice(0, 8),
    key: createSecretKey(bytes),
    nonceKey: createSecretKey(nonceKey),
  };
}
