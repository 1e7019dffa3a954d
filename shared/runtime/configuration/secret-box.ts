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
 * - `no-key`: this process was given none.
 * - `unknown-key`: it was given others than the one that the secret is sealed with.
 * - `not-authentic`: the text is no sealed secret, was changed, or was sealed for another place.
 */
export type SecretBoxFault = 'no-key' | 'unknown-key' | 'not-authentic';

/** A secret that cannot be sealed or opened. Its message never holds a secret or a key. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly fault: SecretBoxFault;

  constructor(fault: SecretBoxFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Keeps secrets in a database that may be copied: AES-256-GCM, under keys that the database does not have. */
export interface SecretBox {
  /** How many keys it was given: the first, number 0, seals, and each opens. */
  readonly keys: number;
  /**
   * @param context where the secret belongs, such as `action-type:award-reward:authorization`: it opens for no other
   * place
   * @throws {SecretBoxError} `no-key`
   */
  seal(plain: string, context: string): { sealed: string };
  /**
   * The same text for the same secret in the same place, and for no other: so it can be told whether a secret is the
   * one that is kept, without opening that. A reader of the database learns as much, and nothing else.
   * @param key number of the key that it is sealed with
   * @throws {SecretBoxError} `no-key`
   */
  sealAlike(plain: string, context: string, key?: number): string;
  /** @throws {SecretBoxError} whose fault says what is wrong */
  open(sealed: string, context: string): string;
}

const keyBytes = 32;
/** The nonce's usual size for GCM. Random ones are safe for 2^32 secrets under one key. */
const nonceBytes = 12;
const tagBytes = 16;
const form = 'v1';
const howToMake = 'make one with: openssl rand -base64 32';

const oneKey = /^[A-Za-z0-9+/_-]{43}=?$/;

export const secretsEnvironment = z.object({
  /** Separated by commas: the first seals, each opens. */
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
        'What secrets in the database are encrypted with, 32 bytes in base64 each: ' +
        '[secrets in the database](../configuration.md#secrets-in-the-database)',
      usual: 'none: what needs a secret is refused',
    }),
});

interface Key {
  /** Names the key beside what it sealed, and tells nothing of it. */
  id: string;
  key: KeyObject;
  /** What nonces are made with that are to be the same again. */
  nonceKey: KeyObject;
}

/**
 * With the keys of `MUSTER_SECRETS_KEY`, or of the file that `MUSTER_SECRETS_KEY_FILE` names. Without any there is a
 * box too: it refuses.
 * @throws {ConfigurationError} where a key has another length
 */
export function readSecretBox(environment: NodeJS.ProcessEnv): SecretBox {
  const { MUSTER_SECRETS_KEY: keys = [] } = readEnvironment(secretsEnvironment, environment);
  return createSecretBox(keys);
}

/** @param keys of 32 bytes each: the first seals, each opens */
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

/** As good as random to everybody without the key, and never one nonce for two secrets or two places. */
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

/** Authenticated, not encrypted: what is sealed for one place, or under one key's name, is garbage at another. */
function boundTo(id: string, context: string): Buffer {
  return Buffer.from(`${form}.${id}.${context}`);
}

function keyOf(bytes: Buffer): Key {
  if (bytes.length !== keyBytes) throw new TypeError(`a key has to have ${keyBytes} bytes, not ${bytes.length}`);
  // A prefix of its own, so that the name is of no use for anything else that is made of the key.
  const named = Buffer.concat([Buffer.from('muster secret box key '), bytes]);
  const nonceKey = createHmac('sha256', bytes).update('muster secret box nonces').digest();
  return {
    id: hash('sha256', named, 'hex').slice(0, 8),
    key: createSecretKey(bytes),
    nonceKey: createSecretKey(nonceKey),
  };
}
