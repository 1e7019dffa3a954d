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
/** Limits in the specification, in bytes. */
const secretBytes = { min: 24, max: 64 };

export const webhookSecretForm = `${secretPrefix} and ${secretBytes.min} to ${secretBytes.max} bytes in base64`;

/**
 * Maximum difference between a call's time and the receiver's clock, in seconds, as in the specification's libraries.
 */
export const webhookToleranceSeconds = 300;

/**
 * Returns the key of a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`; the prefix is optional. Create the key
 * once for all calls: that costs less than parsing the secret each time. Returns undefined if the secret is invalid.
 */
export function webhookKeyOf(secret: string): KeyObject | undefined {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Node accepts base64 that other decoders refuse; both sides must be able to read the secret.
  if (bytes.toString('base64').replaceAll('=', '') !== text.replaceAll('=', '')) return undefined;
  return bytes.length < secretBytes.min || bytes.length > secretBytes.max ? undefined : createSecretKey(bytes);
}

/**
 * Returns the value of `webhook-signature` with one signature.
 * @param timestamp whole seconds since 1970
 */
export function signWebhook(key: KeyObject, id: string, timestamp: number, body: Buffer): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Returns the signature headers of a call made now, names and values in turn. */
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
 * Returns the error in the headers of a received call that can be detected without its body and the secret. Returns
 * null if there is none.
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

const signatureForm = /^v1,[A-Za-z0-9+/]{43}=$/;

/**
 * Returns the error of a received call, in words; null if one of its signatures is valid.
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
