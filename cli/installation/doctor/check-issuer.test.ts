import { afterEach, beforeEach, expect, test } from 'vitest';
import { startIssuer, type TestIssuer } from '../../../test/support/openid-issuer.ts';
import { checkIssuer } from './check-issuer.ts';

let issuer: TestIssuer;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  issuer = await startIssuer({ now: () => new Date() });
  environment = {
    AUTH_MODE: 'both',
    OIDC_ISSUER: issuer.url,
    OIDC_ROLES: 'admins=operator',
    OIDC_CLIENT_ID: 'console',
    API_PUBLIC_URL: 'https://muster.example',
  };
});
afterEach(() => issuer.stop());

test('muster doctor sends no request to an issuer if only keys are configured', async () => {
  expect(await checkIssuer({})).toEqual([]);
  expect(issuer.requested).toEqual([]);
});

test('muster doctor reads the discovery document and the keys of the issuer', async () => {
  expect(await checkIssuer(environment)).toMatchObject([
    { name: 'issuer', ok: true, found: `${issuer.url} answers, with keys: 1; tokens, and people sign in` },
  ]);
});

test('muster doctor names missing features of an issuer and how to fix them', async () => {
  const found = async () => {
    const [check] = await checkIssuer(environment);
    return `${check?.ok ? 'well' : 'wrong'}: ${check?.found ?? ''} → ${check?.fix ?? ''}`;
  };
  issuer.discovery['code_challenge_methods_supported'] = ['plain'];
  expect(await found()).toBe('wrong: it takes no PKCE with S256 → allow PKCE (S256) for this client there');
  issuer.discovery['token_endpoint'] = undefined;
  expect(await found()).toContain('no token_endpoint → allow the authorization code flow');
  issuer.discovery['issuer'] = 'https://another.example';
  expect(await found()).toMatch(/of the issuer "https:\/\/another\.example" → correct OIDC_ISSUER, to the letter/);
  issuer.answerWith = (_path, response) => (response.writeHead(404).end(), true);
  expect(await found()).toContain('it answered 404');
  environment['MUSTER_EGRESS_ALLOW'] = 'public';
  expect(await found()).toMatch(/address that may not be called → .*MUSTER_EGRESS_ALLOW/);
});
