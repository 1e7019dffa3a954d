import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

/** A key pair that the issuer signs with, or an unrelated one. */
export interface SigningKey {
  kid: string;
  alg: 'RS256' | 'ES256';
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** Claims that are added to the usual ones or replace them. An undefined claim is left out. */
export type ReportedClaims = Readonly<Record<string, unknown>>;

export interface TokenTerms {
  claims?: ReportedClaims;
  key?: SigningKey;
  header?: Record<string, unknown>;
  now?: Date;
}

/** Parameters that a browser returns from the issuer. */
export interface SentBack {
  code: string;
  state: string;
}

/** An OpenID Connect issuer over real HTTP: a discovery document, keys, and a token for each code, once. */
export interface TestIssuer {
  readonly url: string;
  readonly clientSecret: string;
  /** Requested paths, the oldest first. */
  readonly requested: string[];
  /** Replaces the normal answers until it is set to undefined. */
  answerWith: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** Fields that override those of the discovery document. */
  readonly discovery: Record<string, unknown>;
  /** Claims of the person whose browser comes to the issuer. */
  signsIn: ReportedClaims;
  /** Makes the issuer sign with a new key and publish only this key. */
  rotate(): Promise<SigningKey>;
  /** Returns a token of this issuer for the audience `muster`, valid for an hour unless the claims differ. */
  token(terms?: TokenTerms): Promise<string>;
  /** Signs in a person at the URL that the API returned. Returns the parameters of the redirect. */
  signIn(address: string, claims?: ReportedClaims): SentBack;
  stop(): Promise<void>;
}

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  claims: ReportedClaims;
}

export async function newSigningKey(alg: SigningKey['alg'] = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

interface IssuerTerms {
  now: () => Date;
  alg?: SigningKey['alg'];
  /** Host name of the issuer; it listens on this machine only. */
  host?: string;
}

export async function startIssuer({ now, alg = 'ES256', host = '127.0.0.1' }: IssuerTerms) {
  let current = await newSigningKey(alg);
  const grants = new Map<string, Grant>();
  const queried: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://${host}:${port}/realms/main`;

  const issuer: TestIssuer = {
    url,
    requested: queried,
    clientSecret: 'the secret/of the client',
    answerWith: undefined,
    discovery: {},
    signsIn: {},
    rotate: async () => (current = await newSigningKey(alg)),
    token,
    signIn: (address, claims = {}) => {
      const reported = new URL(address).searchParams;
      const code = randomUUID();
      grants.set(code, {
        clientId: reported.get('client_id') ?? '',
        redirectUri: reported.get('redirect_uri') ?? '',
        challenge: reported.get('code_challenge') ?? '',
        claims: { nonce: reported.get('nonce') ?? '', ...claims },
      });
      return { code, state: reported.get('state') ?? '' };
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function token({ claims = {}, key = current, header = {}, now: at = now() }: TokenTerms = {}) {
    const seconds = Math.floor(at.getTime() / 1000);
    const usual = {
      iss: url,
      aud: 'muster',
      sub: 'ada',
      iat: seconds,
      exp: seconds + 3600,
      roles: ['managers'],
      email_verified: true,
    };
    const all: ReportedClaims = { ...usual, ...claims };
    const report = Object.entries(all).filter(([, value]) => value !== undefined);
    return await new SignJWT(Object.fromEntries(report))
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
      .sign(key.privateKey);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname.replace('/realms/main', '');
    queried.push(path);
    if (issuer.answerWith?.(path, response)) return;
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/.well-known/openid-configuration') send(200, document());
    else if (path === '/authorize') sendBack(request.url ?? '', response);
    else if (path === '/keys') send(200, { keys: [current.publicJwk] });
    else if (path === '/token') await answerToken(request, send);
    else send(404, {});
  }

  /** Redirects like an issuer at which the person already has a session. */
  function sendBack(query: string, response: ServerResponse): void {
    const address = new URL(query, url);
    const back = new URL(address.searchParams.get('redirect_uri') ?? '');
    const { code, state } = issuer.signIn(address.href, issuer.signsIn);
    back.searchParams.set('code', code);
    back.searchParams.set('state', state);
    response.writeHead(302, { location: back.href }).end();
  }

  async function answerToken(request: IncomingMessage, send: (status: number, body: object) => void): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const claims = redeemed(form, request.headers.authorization);
    if (claims) send(200, { id_token: await token({ claims }) });
    else send(400, { error: 'invalid_grant' });
  }

  function document() {
    return {
      issuer: url,
      jwks_uri: `${url}/keys`,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      ...issuer.discovery,
    };
  }

  /** Returns the claims of a code that was not redeemed before, if client, address and verifier are right. */
  function redeemed(form: URLSearchParams, authorization = ''): ReportedClaims | undefined {
    const grant = grants.get(form.get('code') ?? '');
    if (!grant) return undefined;
    grants.delete(form.get('code') ?? '');
    const pair = `${encodeURIComponent(grant.clientId)}:${new URLSearchParams({ '': issuer.clientSecret }).toString().slice(1)}`;
    const isClient = authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isClient || challenge !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri) return undefined;
    return { aud: grant.clientId, ...grant.claims };
  }

  return issuer;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
