import { z } from 'zod';

/** Where secrets and people are sent: https, or http on this very machine, which is for trying it out. */
export function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

const issuerUrl = z.string().max(2000).refine(isIssuerUrl, 'has to be an https address');

/** What an issuer says of itself: OpenID Connect Discovery 1.0, section 3; what Muster goes by of it. */
export const discoveryDocument = z.object({
  issuer: z.string(),
  jwks_uri: issuerUrl,
  authorization_endpoint: issuerUrl.optional(),
  token_endpoint: issuerUrl.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
});

export type DiscoveryDocument = z.output<typeof discoveryDocument>;

/** RFC 7517, section 5. Keys of kinds that are not known are left aside when one is looked for. */
export const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

export type KeySet = z.output<typeof keySet>;

/** What is given for a code. The access token is not looked at: what it opens is not ours. */
export const codeAnswer = z.object({ id_token: z.string().max(16_384) });

/** RFC 6749, section 5.2. */
export const codeRefusal = z.object({ error: z.string().regex(/^[\x20-\x7e]{1,100}$/) });
