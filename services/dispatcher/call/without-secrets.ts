import { isSecretHeader } from '../../../shared/contracts/jobs/stored-calls.ts';

/** Shorter ones would take apart innocent text. */
const minSecretLength = 6;
/** In a URL, under a name that says nothing. */
const minUnnamedLength = 12;
const sensitiveName = /auth|cookie|token|secret|key|password|sig/i;
const removed = '[removed]';

/**
 * What looks like a secret wherever it comes from: schemes of HTTP, webhook secrets, tokens of the form that JWTs have.
 */
const shapes = [
  /\b(?:bearer|basic|digest)\s+[A-Za-z0-9+/=._~-]{6,}/gi,
  /\bwhsec_[A-Za-z0-9+/=]{6,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*/g,
];

/** The values of headers that may be secrets. @param headers names and values in turn */
export function secretsIn(headers: readonly string[]): string[] {
  return headers.filter(
    (value, index) =>
      index % 2 === 1 && value.length >= minSecretLength && isSecretHeader((headers[index - 1] ?? '').toLowerCase()),
  );
}

/** The same of a URL: what is long, or has such a name, also where it is not encoded. */
export function secretsOfTarget(path: string, query: string): string[] {
  const elements = path.split('/').filter((element) => element.length >= minUnnamedLength);
  const values = query.split('&').flatMap((pair) => {
    const name = pair.split('=', 1)[0] ?? '';
    const value = pair.slice(name.length + 1);
    const least = sensitiveName.test(name) ? minSecretLength : minUnnamedLength;
    return value.length < least ? [] : [value, ...new URLSearchParams(pair).values()];
  });
  return [...new Set([...[query].filter(({ length }) => length >= minSecretLength), ...elements, ...values])];
}

/**
 * An answer as it may be kept: receivers like to repeat what they were sent.
 * @param secrets what was sent and must not be kept
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  for (const secret of secrets) cleaned = cleaned.replaceAll(secret, removed);
  for (const shape of shapes) cleaned = cleaned.replace(shape, removed);
  return cleaned;
}

/** Bytes as text that Postgres can keep; what is no UTF-8, such as a character that was cut in two, is replaced. */
export function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd').toWellFormed();
}
