import type { z } from 'zod';
import {
  codeAnswer,
  codeRefusal,
  discoveryDocument,
  keySet,
  type DiscoveryDocument,
} from '../contracts/access/openid.ts';
import type { CodeExchange, IssuerAnswer, OpenIdIssuer } from '../ports/openid.ts';
import { createGuardedOrigin, type Egress } from './guarded-origin.ts';
import type { HttpCall, HttpOrigin, HttpOutcome } from './http-dispatch.ts';

/** Time-out of a request in milliseconds: people at sign-in and requests with tokens wait for it. */
const timeoutMs = 3000;
const maxAnswerBytes = 256 * 1024;
/** Connections to each origin. Sign-ins use them concurrently; the discovery document is requested once at a time. */
const connections = 8;

export interface OpenIdIssuerDeps {
  /** Issuer exactly as tokens name it. */
  issuer: string;
  egress: Egress;
  onSentAgain?: (() => void) | undefined;
}

/** Creates an OpenID issuer over HTTP. Its endpoints may have different origins. */
export function createOpenIdIssuer({ issuer, egress, onSentAgain }: OpenIdIssuerDeps): OpenIdIssuer {
  const origins = new Map<string, HttpOrigin>();

  /** Codes are not exchanged twice: an issuer may then revoke their tokens (RFC 6749, section 4.1.2). */
  function originOf({ origin }: URL, isRepeatable: boolean): HttpOrigin {
    const key = `${origin} ${isRepeatable}`;
    const terms = { egress, caller: 'issuer', origin, connections, timeoutMs, maxAnswerBytes };
    const opened = origins.get(key) ?? createGuardedOrigin({ ...terms, isRepeatable, onSentAgain });
    origins.set(key, opened);
    return opened;
  }

  function send(address: string, call: Omit<HttpCall, 'path'>): Promise<HttpOutcome> {
    const url = new URL(address);
    const headers = ['accept', 'application/json', 'accept-encoding', 'identity', ...call.headers];
    return originOf(url, call.method === 'GET').send({ ...call, headers, path: url.pathname + url.search });
  }

  return {
    discover: async () => {
      const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
      const read = answerOf(await send(address, { method: 'GET', headers: [] }), discoveryDocument);
      if (!read.ok || read.value.issuer === issuer) return read;
      return away(`its discovery document is of the issuer ${JSON.stringify(read.value.issuer.slice(0, 200))}`);
    },
    keys: async ({ jwks_uri: address }) => answerOf(await send(address, { method: 'GET', headers: [] }), keySet),
    exchange: async (discovered, exchange) => {
      const { token_endpoint: address } = discovered;
      if (address === undefined) return away('its discovery document names no token_endpoint');
      const { authorization, form } = credentialsOf(discovered, exchange);
      const headers = ['content-type', 'application/x-www-form-urlencoded', ...authorization];
      const outcome = await send(address, { method: 'POST', headers, body: Buffer.from(form.toString()) });
      const refused = refusalOf(outcome);
      if (refused !== undefined) return { ok: false, kind: 'refused', cause: refused };
      const read = answerOf(outcome, codeAnswer);
      return read.ok ? { ok: true, value: read.value.id_token } : read;
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

/**
 * Returns the credentials: by HTTP Basic, which issuers must support, or in the form if this issuer supports only the
 * form.
 */
function credentialsOf(
  { token_endpoint_auth_methods_supported: methods }: DiscoveryDocument,
  { code, redirectUri, verifier, client: { id, secret } }: CodeExchange,
) {
  const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  form.set('code_verifier', verifier);
  if (secret !== undefined && (methods?.includes('client_secret_basic') ?? true)) {
    const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
    return { form, authorization: ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`] };
  }
  form.set('client_id', id);
  if (secret !== undefined) form.set('client_secret', secret);
  return { form, authorization: [] };
}

/** Encodes a part of the client's credentials as in a form (RFC 6749, section 2.3.1). */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function answerOf<Value>(outcome: HttpOutcome, shape: z.ZodType<Value>): IssuerAnswer<Value> {
  if (outcome.kind !== 'answered') return away(outcome.cause);
  if (outcome.status !== 200) return away(`it answered ${outcome.status}`);
  const read = shape.safeParse(jsonIn(outcome.body));
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  return away(`its answer cannot be used: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** Returns the OAuth error of a refusal; undefined if the answer is no OAuth refusal. */
function refusalOf(outcome: HttpOutcome): string | undefined {
  if (outcome.kind !== 'answered' || ![400, 401].includes(outcome.status)) return undefined;
  return codeRefusal.safeParse(jsonIn(outcome.body)).data?.error;
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function away(cause: string): { ok: false; kind: 'away'; cause: string } {
  return { ok: false, kind: 'away', cause };
}
