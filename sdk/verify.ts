import { createHmac, timingSafeEqual } from 'node:crypto';

/** A call that is not to be believed. */
export class UnverifiedCall extends Error {
  override readonly name = 'UnverifiedCall';
}

export interface VerifyTerms {
  /** `whsec_…`; several while they are rotated. */
  secrets: readonly string[];
  /** How far the call's time may lie from now, in seconds. */
  toleranceSeconds?: number;
  nowMs?: number;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether a call was signed by one of our secrets (Standard Webhooks 1.0). The body has to be as it came, byte by byte.
 *
 * @returns the id of the job: it stays over all repeats, so remember which ones are done
 * @throws {UnverifiedCall} that says why
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
