import type { IssuerClient, IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';
import type { PublicAddress } from '../../../../shared/runtime/configuration/public-address.ts';
import type { OpenIdIssuer } from '../../../../shared/ports/openid.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import type { ApiKeyRecord } from '../credentials/postgres/key-rows.ts';
import { IssuerUnavailableError, type IssuerKeys } from './issuer-keys.ts';
import { challengeOf, isSameText, signInSecretsOf } from './sign-in-cookie.ts';
import { issuerUnavailable, type TokenAuthenticator } from './token-authenticator.ts';

/**
 * Maximum number of codes that are redeemed at the same time. People sign in rarely, and each request waits for the
 * issuer.
 */
const mostAtOnce = 50;

export interface SignInDeps {
  settings: Pick<IssuerSettings, 'issuer' | 'name'>;
  client: IssuerClient;
  publicAddress: PublicAddress;
  provider: Pick<OpenIdIssuer, 'exchange'>;
  keys: Pick<IssuerKeys, 'discovered'>;
  authenticator: Pick<TokenAuthenticator, 'callerOfSignIn'>;
  logger: Logger;
}

/** The parameters with which the issuer sends the browser back, and the secrets in the browser's cookies. */
export interface SignInResponse {
  code: string;
  state: string;
  secrets: readonly string[];
  /** IP address of the connection. */
  from: string;
}

/** Sign-in to the console: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export interface SignIn {
  readonly name: string;
  readonly sessionMs: number;
  /**
   * Returns the URL at the issuer to which the browser must go.
   * @throws {HttpProblem} 503 while the issuer is unavailable
   */
  addressFor(secret: string): Promise<string>;
  /**
   * Completes a sign-in, and returns the person.
   * @throws {HttpProblem} 401 if another browser has begun the sign-in, or if the issuer refuses it; 403, 503
   */
  callerOf(response: SignInResponse): Promise<ApiKeyRecord>;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { settings, client, publicAddress, provider, keys, authenticator, logger } = deps;
  // The issuer sends codes to this URL, so it is configured and never taken from the request.
  const redirectUri = `${publicAddress.origin}${publicAddress.basePath}/log-in`;
  let underWay = 0;

  async function discovered() {
    try {
      return await keys.discovered();
    } catch (error) {
      throw error instanceof IssuerUnavailableError ? issuerUnavailable(error.message) : error;
    }
  }

  async function idTokenFor(code: string, verifier: string): Promise<string> {
    if (underWay >= mostAtOnce) throw issuerUnavailable('too many people are signing in at once');
    underWay += 1;
    try {
      const answer = await provider.exchange(await discovered(), { code, redirectUri, verifier, client });
      if (answer.ok) return answer.value;
      logger.warn({ kind: answer.kind, cause: answer.cause }, 'the issuer did not redeem the code of a sign-in');
      if (answer.kind === 'away') throw issuerUnavailable(answer.cause);
      throw signInRefused(answer.cause);
    } finally {
      underWay -= 1;
    }
  }

  return {
    name: settings.name,
    sessionMs: client.sessionMs,
    addressFor: async (secret) => {
      const { authorization_endpoint: endpoint } = await discovered();
      if (endpoint === undefined) throw issuerUnavailable('its discovery document names no authorization_endpoint');
      const { state, nonce, verifier } = signInSecretsOf(secret);
      const address = new URL(endpoint);
      const params = {
        response_type: 'code',
        client_id: client.id,
        redirect_uri: redirectUri,
        scope: client.scope,
        state,
        nonce,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
      return address.href;
    },
    callerOf: async ({ code, state, secrets, from }) => {
      const begun = secrets.map(signInSecretsOf).find((each) => isSameText(each.state, state));
      if (!begun) throw signInOver();
      const idToken = await idTokenFor(code, begun.verifier);
      return await authenticator.callerOfSignIn(idToken, { nonce: begun.nonce, clientId: client.id, from });
    },
  };
}

function signInOver(): HttpProblem {
  const detail = 'this sign-in was not begun in this browser, or too long ago: sign in again';
  return new HttpProblem({ status: 401, code: 'sign-in-over', detail });
}

function signInRefused(cause: string): HttpProblem {
  const detail = `the issuer refused this sign-in (${cause}): sign in again`;
  return new HttpProblem({ status: 401, code: 'sign-in-refused', detail });
}
