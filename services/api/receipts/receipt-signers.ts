import type { KeyObject } from 'node:crypto';
import {
  webhookHeaders,
  webhookHeadProblem,
  webhookKeyOf,
  webhookProblem,
} from '../../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import { readSecret } from '../../../shared/runtime/configuration/secrets.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';

export interface ReceiptSigner {
  actionType: string;
  key: KeyObject;
}

export interface ReceiptSigners {
  current(): readonly ReceiptSigner[];
}

export interface ReceiptSignersDeps {
  /** Returns the registered action types as they were last read; undefined before the first read. */
  registered: () => readonly RegisteredActionType[] | undefined;
  environment: NodeJS.ProcessEnv;
  /**
   * Decrypts the secret that was set through the API; undefined if there is none. Throws if this process cannot decrypt
   * it.
   */
  openSecret: (type: RegisteredActionType) => string | undefined;
  logger: Logger;
}

/**
 * Creates the reader of the secrets of all asynchronous action types. The secret set through the API and the secret in
 * the file are both valid, so that one can replace the other.
 */
export function createReceiptSigners({
  registered,
  environment,
  openSecret,
  logger,
}: ReceiptSignersDeps): ReceiptSigners {
  let known: readonly RegisteredActionType[] | undefined;
  let signers: readonly ReceiptSigner[] = [];

  function signersOf(type: RegisteredActionType): ReceiptSigner[] {
    const { receipts, receiptsSecretEnv } = type.config;
    if (!receipts) return [];
    const secrets = [
      attempt(type, () => openSecret(type)),
      attempt(type, () => receiptsSecretEnv && readSecret(receiptsSecretEnv, environment)),
    ];
    return secrets.flatMap((secret) => {
      const key = secret === undefined ? undefined : webhookKeyOf(secret);
      return key ? [{ actionType: type.name, key }] : [];
    });
  }

  function attempt(type: RegisteredActionType, read: () => string | undefined): string | undefined {
    try {
      return read();
    } catch (error) {
      logger.error({ err: error, actionType: type.name }, 'a secret for receipts is missing or cannot be decrypted');
      return undefined;
    }
  }

  return {
    current: () => {
      const now = registered();
      if (now !== known) {
        known = now;
        signers = (now ?? []).flatMap(signersOf);
      }
      return signers;
    },
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function isSigned(headers: Headers): boolean {
  return headers[webhookHeaders.signature] !== undefined;
}

/**
 * Returns the problem of the headers of a signed request, or null if the body must be read to check the signature. Most
 * invalid requests are refused here at almost no cost.
 */
export function headProblem(
  signers: readonly ReceiptSigner[],
  headers: Headers,
  clock: Pick<Clock, 'now'>,
): string | null {
  if (signers.length === 0) return noSigner;
  return webhookHeadProblem(receivedHead(headers), clock.now().getTime() / 1000);
}

/**
 * Maximum sum of bytes over which HMACs are computed for one request, because each possible secret needs an HMAC of the
 * whole body.
 */
const maxSignedBytes = 512 * 1024;

/** Returns the maximum number of bytes of a body that may be signed by any of these signers. */
export function mostSignedBytes(signers: readonly ReceiptSigner[]): number {
  return Math.floor(maxSignedBytes / Math.max(1, signers.length));
}

const noSigner = 'no action type accepts signed receipts here';

/** Returns the action type whose secret signed the body, or the problem of the signature. */
export function signerOf(
  signers: readonly ReceiptSigner[],
  headers: Headers,
  body: Buffer,
  clock: Pick<Clock, 'now'>,
): { actionType: string } | { problem: string } {
  const received = { ...receivedHead(headers), body };
  let problem = noSigner;
  for (const { actionType, key } of signers) {
    const found = webhookProblem(key, received, clock.now().getTime() / 1000);
    if (found === null) return { actionType };
    problem = found;
  }
  return { problem };
}

function receivedHead(headers: Headers) {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const { id, timestamp, signature } = webhookHeaders;
  return { id: one(id), timestamp: one(timestamp), signature: one(signature) };
}
