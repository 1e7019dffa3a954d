import { z } from 'zod';
import { refusals, withCode } from '../stated-rules.ts';
import { isHttpUri, noUri } from '../uris.ts';

/** http(s) URL without credentials. */
export const serviceUrl = z
  .string()
  .trim()
  .refine(isHttpUrl, withCode('invalid-url', 'has to be an http:// or https:// URL'))
  .refine(
    holdsNoCredentials,
    withCode(
      'invalid-url',
      'must not contain user and password: set authorizationEnv to the name of a variable with the whole header',
    ),
  )
  .refine((text) => !isCalled(text) || isHttpUri(text), withCode('invalid-url', noUri))
  .meta({
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    ...refusals({
      'invalid-url': 'a URL cannot be parsed (RFC 3986), has a port above 65535, or has a user or a password',
    }),
  });

/** Address of a service that Muster calls; the environment contains its secret. */
export const service = z.strictObject({
  url: serviceUrl.describe('URL of a batch endpoint, or base URL of a segmentation service'),
  authorizationEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as REWARDS_AUTHORIZATION')
    .optional()
    .describe(
      'Name of the environment variable with the whole `Authorization` header; URLs must not contain passwords',
    ),
  timeoutMs: z.int().min(50).max(120_000).default(10_000).describe('Time-out of a call'),
});

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** Returns true for an http or https URL without credentials. For all other texts, another rule reports the error. */
function isCalled(text: string): boolean {
  return isHttpUrl(text) && holdsNoCredentials(text);
}

function holdsNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
