import type { KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { webhookHeaders, webhookProblem } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

/** Returns why a call is refused for its signature, in words; null for a valid signature. */
export type CheckSignature = (headers: IncomingHttpHeaders, body: Buffer) => string | null;

export function requireSignature(key: KeyObject, clock: Pick<Clock, 'now'>): CheckSignature {
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
