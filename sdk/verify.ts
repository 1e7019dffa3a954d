import { createHmac, timingSafeEqual } from 'node:crypto';

/** A call without a valid signature. */
export class UnverifiedCall extends Error {
  override readonly name = 'UnverifiedCall';
}

export interface VerifyTerms {
  /** Secrets `whsec_…`; several during a rotation. */
  secrets: readonly string[];
  /** Maximum difference between the call's time and now, in seconds. */
  toleranceSeconds?: number;
  nowMs?: number;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies that one of the secrets has signed a call (Standard Webhooks 1.0). The body must be unchanged, byte by byte.
 *
 * @returns the id of the job, which is the same for all repeats: store the ids of finished jobs
 * @throws {UnverifiedCall} with the reason
 */
export function verify(headers: Headers, body: string | Buffer, terms: VerifyTerms): { id: string; at: Date } {
  const { secrets, toleranceSeconds = 300, nowMs = Date.now() } = terms;
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new UnverifiedCall('a webhook-… header is missing');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowMs / 1000 - seconds) <= toleranceSeconds)) throw new UnverifiedCall('its time is too far from now');
  const offered = signatures.split(' ').map((each) => Buffer.from(each));
  const isSigned = secrets.some((secret) => {
    const expected = Buffer.from(signatureOf(secret, `${id}.${timestamp}.`, body));
    return offered.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
  if (!isSigned) throw new UnverifiedCall('no signature is of this body under one of these secrets');
  return { id, at: new Date(seconds * 1000) };
}

function signatureOf(secret: string, head: string, body: string | Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
}

function headerOf(headers: Headers, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
