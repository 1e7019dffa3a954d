import { z } from 'zod';

/**
 * Returns true if Muster may send secrets to the address and people may be redirected there: https, or http on this
 * machine for trials.
 */
export function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

const issuerUrl = z.string().max(2000).refine(isIssuerUrl, 'has to be an https address');

/** Discovery document of an issuer (OpenID Connect Discovery 1.0, section 3), with the fields that Muster uses. */
export const discoveryDocument = z.object({
  issuer: z.string(),
  jwks_uri: issuerUrl,
  authorization_endpoint: issuerUrl.optional(),
  token_endpoint: issuerUrl.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
});

export type DiscoveryDocument = z.output<typeof discoveryDocument>;

/** JSON Web Key Set (RFC 7517, section 5). The search for a key skips keys of unknown kinds. */
export const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

export type KeySet = z.output<typeof keySet>;

/** Answer of the token endpoint. The access token is ignored, because it grants no access to Muster. */
export const codeAnswer = z.object({ id_token: z.string().max(16_384) });

/** Error answer of the token endpoint (RFC 6749, section 5.2). */
export const codeRefusal = z.object({ error: z.string().regex(/^[\x20-\x7e]{1,100}$/) });
