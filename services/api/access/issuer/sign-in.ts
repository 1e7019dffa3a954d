import type { IssuerClient, IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';
import type { PublicAddress } from '../../../../shared/runtime/configuration/public-address.ts';
import type { OpenIdIssuer } from '../../../../shared/ports/openid.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import type { ApiKeyRecord } from '../postgres/key-rows.ts';
import { IssuerAwayError, type IssuerKeys } from './issuer-keys.ts';
import { challengeOf, isSameText, signInSecretsOf } from './sign-in-cookie.ts';
import { issuerAway, type TokenDoor } from './token-door.ts';

/** Codes that are redeemed at the same time. People sign in rarely, and each waits for the issuer. */
const mostAtOnce = 50;

export interface SignInDeps {
  settings: Pick<IssuerSettings, 'issuer' | 'name'>;
  client: IssuerClient;
  publicAddress: PublicAddress;
  provider: Pick<OpenIdIssuer, 'exchange'>;
  keys: Pick<IssuerKeys, 'discovered'>;
  door: Pick<TokenDoor, 'callerOfSignIn'>;
  logger: Logger;
}

/** Parameters that the issuer returns through the browser, and the secrets in the browser's cookies. */
export interface ComeBack {
  code: string;
  state: string;
  secrets: readonly string[];
  /** Address of the connection. */
  from: string;
}

/** Sign-in to the console: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export interface SignIn {
  readonly name: string;
  readonly sessionMs: number;
  /** Returns the URL for the browser. @throws {HttpProblem} 503 while the issuer is unavailable */
  addressFor(secret: string): Promise<string>;
  /** @throws {HttpProblem} 401 for a sign-in that another browser began or that the issuer refuses; 403, 503 */
  callerOf(comeBack: ComeBack): Promise<ApiKeyRecord>;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { settings, client, publicAddress, provider, keys, door, logger } = deps;
  // Configured, and never taken from the request: the issuer sends codes to this URL.
  const redirectUri = `${publicAddress.origin}${publicAddress.basePath}/log-in`;
  let underWay = 0;

  async function discovered() {
    try {
      return await keys.discovered();
    } catch (error) {
      throw error instanceof IssuerAwayError ? issuerAway(error.message) : error;
    }
  }

  async function idTokenFor(code: string, verifier: string): Promise<string> {
    if (underWay >= mostAtOnce) throw issuerAway('too many sign in at once');
    underWay += 1;
    try {
      const answer = await provider.exchange(await discovered(), { code, redirectUri, verifier, client });
      if (answer.ok) return answer.value;
      logger.warn({ kind: answer.kind, cause: answer.cause }, 'the issuer gave nothing for the code of a sign-in');
      if (answer.kind === 'away') throw issuerAway(answer.cause);
      throw refused(answer.cause);
    } finally {
      underWay -= 1;
    }
  }

  return {
    name: settings.name,
    sessionMs: client.sessionMs,
    addressFor: async (secret) => {
      const { authorization_endpoint: endpoint } = await discovered();
      if (endpoint === undefined) throw issuerAway('its discovery document names no authorization_endpoint');
      const { state, nonce, verifier } = signInSecretsOf(secret);
      const address = new URL(endpoint);
      const asked = {
        ...{ response_type: 'code', client_id: client.id, redirect_uri: redirectUri, scope: client.scope },
        ...{ state, nonce, code_challenge: challengeOf(verifier), code_challenge_method: 'S256' },
      };
      for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
      return address.href;
    },
    callerOf: async ({ code, state, secrets, from }) => {
      const begun = secrets.map(signInSecretsOf).find((each) => isSameText(each.state, state));
      if (!begun) throw notBegunHere();
      const idToken = await idTokenFor(code, begun.verifier);
      return await door.callerOfSignIn(idToken, { nonce: begun.nonce, clientId: client.id, from });
    },
  };
}

function notBegunHere(): HttpProblem {
  const detail = 'this sign-in was not begun in this browser, or too long ago: begin it anew';
  return new HttpProblem({ status: 401, code: 'sign-in-over', detail });
}

function refused(cause: string): HttpProblem {
  const detail = `the issuer refuses this sign-in (${cause}): begin it anew`;
  return new HttpProblem({ status: 401, code: 'sign-in-refused', detail });
}
