import type { DiscoveryDocument, KeySet } from '../contracts/access/openid.ts';

/**
 * Answer of an issuer.
 * - `away`: no usable answer; the cause is for people and contains no address
 * - `refused`: the issuer rejected the request; the cause is its own error code, such as `invalid_grant`
 */
export type IssuerAnswer<Value> = { ok: true; value: Value } | { ok: false; kind: 'away' | 'refused'; cause: string };

export interface CodeExchange {
  code: string;
  /** Address to which the issuer sent the code. */
  redirectUri: string;
  verifier: string;
  client: { id: string; secret: string | undefined };
}

/** Client of an OpenID Connect issuer. No method rejects, and none takes longer than some seconds. */
export interface OpenIdIssuer {
  /** Returns the discovery document, which must name this very issuer. */
  discover(): Promise<IssuerAnswer<DiscoveryDocument>>;
  keys(discovered: DiscoveryDocument): Promise<IssuerAnswer<KeySet>>;
  /** Returns the ID token for a code, unverified. A code is valid once. */
  exchange(discovered: DiscoveryDocument, exchange: CodeExchange): Promise<IssuerAnswer<string>>;
  close(): Promise<void>;
}
