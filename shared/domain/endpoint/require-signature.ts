import type { KeyObject } from 'node:crypto';
import { webhookHeaders, webhookProblem } from './standard-webhooks.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns why a call is refused for its signature, in words; null for a valid signature. */
export type CheckSignature = (headers: Headers, body: Buffer) => string | null;

export function requireSignature(key: KeyObject, clock: { now(): Date }): CheckSignature {
  return (headers, body) => {
    const one = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const { id, timestamp, signature } = webhookHeaders;
    const received = { id: one(id), timestamp: one(timestamp), signature: one(signature), body };
    return webhookProblem(key, received, clock.now().getTime() / 1000);
  };
}
