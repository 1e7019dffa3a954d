import { isSecretHeader } from '../../../shared/contracts/jobs/stored-calls.ts';

/**
 * Minimum length of a secret value that is removed from responses. Removing shorter values would damage harmless text.
 */
const minSecretLength = 6;
/** Minimum length of a value in a URL that counts as a secret although its name is not sensitive. */
const minUnnamedLength = 12;
const sensitiveName = /auth|cookie|token|secret|key|password|sig/i;
const removed = '[removed]';

/** Patterns of secrets from any source: HTTP authentication, webhook secrets, and tokens like JWTs. */
const shapes = [
  /\b(?:bearer|basic|digest)\s+[A-Za-z0-9+/=._~-]{6,}/gi,
  /\bwhsec_[A-Za-z0-9+/=]{6,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*/g,
];

/** Returns the values of headers that may be secrets. @param headers names and values, alternating */
export function secretsIn(headers: readonly string[]): string[] {
  return headers.filter(
    (value, index) =>
      index % 2 === 1 && value.length >= minSecretLength && isSecretHeader((headers[index - 1] ?? '').toLowerCase()),
  );
}

/**
 * Returns the parts of a URL that may be secrets: long path elements, long values, values with a sensitive name, and
 * the whole query. Values are returned both encoded and decoded.
 */
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
 * Removes secrets from a response before it is stored. Receivers often repeat parts of the request.
 * @param secrets secret values that were sent
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  for (const secret of secrets) cleaned = cleaned.replaceAll(secret, removed);
  for (const shape of shapes) cleaned = cleaned.replace(shape, removed);
  return cleaned;
}

/** Returns text that Postgres can store; invalid UTF-8, such as a character cut in two, is replaced. */
export function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd').toWellFormed();
}
