import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * Signatures by Standard Webhooks 1.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): HMAC-SHA256 over
 * `<id>.<timestamp>.<body>`, the body byte by byte as it is sent.
 */
export const webhookHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

const secretPrefix = 'whsec_';
/** The specification's bounds of a secret. */
const secretBytes = { min: 24, max: 64 };

/** What a secret has to look like, for messages. */
export const webhookSecretForm = `${secretPrefix} and ${secretBytes.min} to ${secretBytes.max} bytes in base64`;

/** How far a call's time may lie from the receiver's, in seconds, as the specification's libraries have it. */
export const webhookToleranceSeconds = 300;

/**
 * The key of a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`; the prefix may be missing. Made once and used
 * for every call: that costs less than to read the secret again. Undefined where it is no such secret.
 */
export function webhookKeyOf(secret: string): KeyObject | undefined {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Node reads base64 that others refuse; a secret that only one side can read is of no use.
  if (bytes.toString('base64').replaceAll('=', '') !== text.replaceAll('=', '')) return undefined;
  return bytes.length < secretBytes.min || bytes.length > secretBytes.max ? undefined : createSecretKey(bytes);
}

/** The value of `webhook-signature` with one signature. @param timestamp seconds since 1970, whole */
export function signWebhook(key: KeyObject, id: string, timestamp: number, body: Buffer): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** The headers of what is sent now, names and values in turn. */
export function signatureHeaders(key: KeyObject, id: string, now: Date, body: Buffer): string[] {
  const timestamp = Math.floor(now.getTime() / 1000);
  return [
    ...[webhookHeaders.id, id, webhookHeaders.timestamp, String(timestamp)],
    ...[webhookHeaders.signature, signWebhook(key, id, timestamp, body)],
  ];
}

export interface ReceivedWebhook {
  id: string | undefined;
  timestamp: string | undefined;
  signature: string | undefined;
  body: Buffer;
}

/**
 * What is wrong with a received call, whatever its body and its secret are; null where those decide.
 * @param nowSeconds since 1970
 */
export function webhookHeadProblem(received: Omit<ReceivedWebhook, 'body'>, nowSeconds: number): string | null {
  const { id, timestamp, signature } = received;
  if (id === undefined || id === '') return `${webhookHeaders.id} is missing`;
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return `${webhookHeaders.timestamp} is no time in seconds`;
  if (signature === undefined) return `${webhookHeaders.signature} is missing`;
  if (Math.abs(nowSeconds - Number(timestamp)) > webhookToleranceSeconds) {
    return `${webhookHeaders.timestamp} is more than ${webhookToleranceSeconds} seconds from now`;
  }
  const isOffered = signature.split(' ').some((one) => signatureForm.test(one));
  return isOffered ? null : `${webhookHeaders.signature} holds no signature such as v1,…`;
}

/** An HMAC-SHA256 in base64. */
const signatureForm = /^v1,[A-Za-z0-9+/]{43}=$/;

/**
 * What is wrong with a received call, in words; null where one of its signatures is right.
 * @param nowSeconds since 1970
 */
export function webhookProblem(key: KeyObject, received: ReceivedWebhook, nowSeconds: number): string | null {
  const problem = webhookHeadProblem(received, nowSeconds);
  if (problem !== null) return problem;
  const { id = '', timestamp = '', signature = '', body } = received;
  const expected = Buffer.from(signWebhook(key, id, Number(timestamp), body));
  const isRight = signature.split(' ').some((one) => {
    const offered = Buffer.from(one);
    return offered.length === expected.length && timingSafeEqual(offered, expected);
  });
  return isRight ? null : `no signature in ${webhookHeaders.signature} is of this body under this secret`;
}
