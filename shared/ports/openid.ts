import type { DiscoveryDocument, KeySet } from '../contracts/access/openid.ts';

/**
 * What an issuer answered.
 * - `away`: nothing that could be used; the cause is for people, and names no address
 * - `refused`: it took the request, and says no; the cause is its own word, such as `invalid_grant`
 */
export type IssuerAnswer<Value> = { ok: true; value: Value } | { ok: false; kind: 'away' | 'refused'; cause: string };

/** What is sent for the ID token of a sign-in. */
export interface CodeExchange {
  code: string;
  /** Where the code was sent to. */
  redirectUri: string;
  /** Of PKCE. */
  verifier: string;
  client: { id: string; secret: string | undefined };
}

/** An OpenID Connect issuer, as it is asked. Nothing rejects, and nothing takes longer than some seconds. */
export interface OpenIdIssuer {
  /** Its discovery document, which has to be of this very issuer. */
  discover(): Promise<IssuerAnswer<DiscoveryDocument>>;
  /** The keys that it signs with now. */
  keys(discovered: DiscoveryDocument): Promise<IssuerAnswer<KeySet>>;
  /** The ID token for a code, unverified. A code is good once. */
  exchange(discovered: DiscoveryDocument, exchange: CodeExchange): Promise<IssuerAnswer<string>>;
  close(): Promise<void>;
}
