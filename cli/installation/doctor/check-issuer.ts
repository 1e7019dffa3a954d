import type { Check } from '../../../shared/infrastructure/doctor.ts';
import type { DiscoveryDocument, KeySet } from '../../../shared/contracts/access/openid.ts';
import { createHostNames } from '../../../shared/http-client/host-names.ts';
import { createOpenIdIssuer } from '../../../shared/http-client/openid-issuer.ts';
import type { OpenIdIssuer } from '../../../shared/ports/openid.ts';
import { readAuthSettings, type IssuerSettings } from '../../../shared/runtime/configuration/auth-settings.ts';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';
import { createEgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../shared/runtime/configuration/installation-egress.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';

/**
 * Checks the OpenID issuer's metadata against the API's needs. Returns nothing without an issuer, or if the
 * configuration is invalid, which another check reports.
 */
export async function checkIssuer(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const settings = settingsIn(environment);
  if (!settings) return [];
  const names = createHostNames({ clock: systemClock });
  const guard = createEgressGuard([readInstallationEgress(environment)]);
  const issuer = createOpenIdIssuer({ issuer: settings.issuer, egress: { guard, names } });
  try {
    return [await examined(issuer, settings)];
  } finally {
    await issuer.close();
    names.close();
  }
}

function settingsIn(environment: NodeJS.ProcessEnv): IssuerSettings | undefined {
  try {
    return readAuthSettings(environment).issuer;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

const name = 'issuer';
const unreachable =
  'correct OIDC_ISSUER, to the letter, or let this machine reach it: MUSTER_EGRESS_ALLOW, NODE_EXTRA_CA_CERTS for a certificate of your own';

async function examined(issuer: OpenIdIssuer, settings: IssuerSettings): Promise<Check> {
  const discovered = await issuer.discover();
  if (!discovered.ok) return { name, ok: false, found: `${settings.issuer}: ${discovered.cause}`, fix: unreachable };
  const keys = await issuer.keys(discovered.value);
  if (!keys.ok) {
    return { name, ok: false, found: `its keys, ${discovered.value.jwks_uri}: ${keys.cause}`, fix: unreachable };
  }
  return wantingIn(discovered.value, keys.value, settings) ?? working(keys.value, settings);
}

function working({ keys }: KeySet, { issuer, client }: IssuerSettings): Check {
  const signsIn = client === undefined ? 'tokens alone' : 'tokens, and people sign in';
  return { name, ok: true, found: `${issuer} answers, with keys: ${keys.length}; ${signsIn}`, fix: '' };
}

function wantingIn(discovered: DiscoveryDocument, { keys }: KeySet, { client }: IssuerSettings): Check | undefined {
  if (!keys.some(({ kty }) => ['RSA', 'EC', 'OKP'].includes(kty))) {
    return { name, ok: false, found: 'it has no key of a pair', fix: 'let it sign with RS256, ES256 or EdDSA' };
  }
  if (client === undefined) return undefined;
  const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: challenges } = discovered;
  if (authorization_endpoint === undefined || token_endpoint === undefined) {
    const fix = 'allow the authorization code flow there, or leave OIDC_CLIENT_ID out';
    return { name, ok: false, found: 'it names no authorization_endpoint or no token_endpoint', fix };
  }
  if (challenges && !challenges.includes('S256')) {
    return { name, ok: false, found: 'it takes no PKCE with S256', fix: 'allow PKCE (S256) for this client there' };
  }
  return undefined;
}
