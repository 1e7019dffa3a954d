/** Shorter ones would take apart innocent text. */
const minSecretLength = 6;
const sensitiveName = /auth|cookie|token|secret|key|password|signature/i;
const removed = '[removed]';

/**
 * What looks like a secret wherever it comes from: schemes of HTTP, webhook secrets, tokens of the form that JWTs have.
 */
const shapes = [
  /\b(?:bearer|basic|digest)\s+[A-Za-z0-9+/=._~-]{6,}/gi,
  /\bwhsec_[A-Za-z0-9+/=]{6,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*/g,
];

/**
 * The values among what was sent that are secret by the name of their header. @param headers names and values in turn
 */
export function secretsIn(headers: readonly string[]): string[] {
  return headers.filter(
    (value, index) =>
      index % 2 === 1 && value.length >= minSecretLength && sensitiveName.test(headers[index - 1] ?? ''),
  );
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
