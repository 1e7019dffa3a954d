import { z } from 'zod';
import { isIssuerUrl } from '../../contracts/access/openid.ts';
import { roles, type Role } from '../../domain/roles.ts';
import { ConfigurationError } from './configuration-error.ts';
import { readEnvironment } from './environment.ts';

/** Accepted credentials: API keys, tokens of an OpenID Connect issuer, or both. */
export const authModes = ['keys', 'oidc', 'both'] as const;

export type AuthMode = (typeof authModes)[number];

export interface AuthSettings {
  mode: AuthMode;
  /** Settings of the issuer; undefined if only API keys are accepted. */
  issuer: IssuerSettings | undefined;
}

export interface IssuerSettings {
  /** Issuer exactly as in the `iss` claim of its tokens. */
  issuer: string;
  name: string;
  /** Accepted audiences; a token has to name one of them. */
  audiences: readonly string[];
  roleClaim: string;
  /** Mapping in order of precedence: the first value that a token has sets its role. */
  roles: readonly { value: string; role: Role }[];
  /** Claim with the scope of a user's roles; undefined if roles apply to the whole installation. */
  scopeClaim: string | undefined;
  nameClaim: string;
  /** Client with which the console signs in; undefined if the console does not sign in with the issuer. */
  client: IssuerClient | undefined;
}

/** The console's registration at the issuer. */
export interface IssuerClient {
  id: string;
  /** Secret of the client; undefined for a public client. PKCE is used anyway. */
  secret: string | undefined;
  /** OAuth scopes to request, separated by spaces. */
  scope: string;
  /** Maximum length of a session, after which people sign in again. */
  sessionMs: number;
}

const claim = z.string().min(1).max(200);

export const authEnvironment = z.object({
  AUTH_MODE: z
    .enum(authModes, "has to be 'keys', 'oidc' or 'both'")
    .default('keys')
    .describe('Accepted credentials: keys, tokens of an issuer, or both ([access](../access.md))'),
  OIDC_ISSUER: z
    .string()
    .max(500)
    .refine(isIssuerUrl, 'has to be an https address such as https://login.example.com/realms/main')
    .optional()
    .describe(
      'The issuer, exactly as in its tokens; https, or http on the same machine. Required, with `OIDC_ROLES` and an audience, if `AUTH_MODE` is not `keys`',
    ),
  OIDC_NAME: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .meta({ description: 'Displayed name of the issuer: "Sign in with …"', usual: 'the issuer’s host' }),
  OIDC_AUDIENCE: z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .refine((all) => all.every((each) => each !== ''), 'has to be audiences, separated by commas')
    .optional()
    .meta({ description: 'Required audience of tokens', usual: '`OIDC_CLIENT_ID`' }),
  OIDC_ROLE_CLAIM: claim.default('roles').describe('Claim with the role'),
  OIDC_ROLES: z
    .string()
    .transform((text, context) => {
      const read = text.split(',').map(mappingIn);
      const mapped = read.flatMap((each) => each ?? []);
      if (mapped.length === read.length) return mapped;
      context.addIssue(`has to be values of the claim and roles (${roles.join(', ')}), such as muster-admins=operator`);
      return z.NEVER;
    })
    .optional()
    .describe('Roles by values of the role claim, such as `muster-admins=operator`; the first match counts'),
  OIDC_SCOPE_CLAIM: claim.optional().meta({
    description: 'Claim with the scope',
    usual: 'none: roles apply to the whole installation',
  }),
  OIDC_NAME_CLAIM: claim.default('email').describe('Claim with the displayed name'),
  OIDC_CLIENT_ID: z
    .string()
    .regex(/^[\x20-\x7e]{1,500}$/, 'has to be visible ASCII')
    .optional()
    .meta({
      description:
        'Client id of the console at the issuer. Needs `API_PUBLIC_URL`: the redirect URI is `<API_PUBLIC_URL>/log-in`',
      usual: 'none: no sign-in by the issuer',
    }),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'Client secret of the console at the issuer', usual: 'none: a public client' }),
  OIDC_SIGN_IN_SCOPE: z
    .string()
    .refine((text) => text.split(' ').includes('openid'), 'has to hold openid')
    .default('openid profile email')
    .describe('OAuth scopes of a sign-in'),
  OIDC_SESSION_HOURS: z.coerce
    .number()
    .min(0.1)
    .max(168)
    .default(12)
    .describe('Hours after which a person has to sign in again'),
});

type AuthEnvironment = z.infer<typeof authEnvironment>;

/** Parses `value=role`; a value may contain any character but a comma, `=` too. */
function mappingIn(text: string): { value: string; role: Role } | undefined {
  const [, value = '', named] = /^\s*(\S.*?)\s*=\s*([a-z]+)\s*$/.exec(text) ?? [];
  const role = roles.find((each) => each === named);
  return role && { value, role };
}

/** @throws {ConfigurationError} that names missing settings, and settings that do not fit together */
export function readAuthSettings(environment: NodeJS.ProcessEnv): AuthSettings {
  const read = readEnvironment(authEnvironment, environment);
  const isSet = (name: string) => [name, `${name}_FILE`].some((each) => (environment[each] ?? '') !== '');
  const problems = contradictionsIn(read, isSet);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const { AUTH_MODE: mode, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = read;
  if (mode === 'keys' || issuer === undefined) return { mode, issuer: undefined };
  return {
    mode,
    issuer: {
      issuer,
      name: read.OIDC_NAME ?? new URL(issuer).host,
      audiences: read.OIDC_AUDIENCE ?? [clientId ?? ''],
      roleClaim: read.OIDC_ROLE_CLAIM,
      roles: read.OIDC_ROLES ?? [],
      scopeClaim: read.OIDC_SCOPE_CLAIM,
      nameClaim: read.OIDC_NAME_CLAIM,
      client: clientId === undefined ? undefined : clientOf(clientId, read),
    },
  };
}

function clientOf(id: string, read: AuthEnvironment): IssuerClient {
  const { OIDC_CLIENT_SECRET: secret, OIDC_SIGN_IN_SCOPE: scope, OIDC_SESSION_HOURS: hours } = read;
  return { id, secret, scope, sessionMs: hours * 3_600_000 };
}

/** @param isSet returns whether another variable of the environment is set */
function contradictionsIn(read: AuthEnvironment, isSet: (name: string) => boolean): string[] {
  const { AUTH_MODE: mode, OIDC_ISSUER, OIDC_ROLES, OIDC_AUDIENCE, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = read;
  if (mode === 'keys') {
    const set = Object.entries({ OIDC_ISSUER, OIDC_ROLES, OIDC_AUDIENCE, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET });
    const names = set.filter(([, value]) => value !== undefined).map(([name]) => name);
    if (names.length === 0) return [];
    return [`${names.join(', ')} are for an issuer, and AUTH_MODE is keys: set AUTH_MODE=both, or leave them out`];
  }
  const needs = `AUTH_MODE is ${mode}`;
  return [
    ...(OIDC_ISSUER === undefined ? [`OIDC_ISSUER is not set, and ${needs}: whose tokens are taken`] : []),
    ...(OIDC_ROLES === undefined
      ? [`OIDC_ROLES is not set, and ${needs}: who has which role, such as muster-admins=operator`]
      : []),
    ...(OIDC_AUDIENCE === undefined && OIDC_CLIENT_ID === undefined
      ? [`OIDC_AUDIENCE and OIDC_CLIENT_ID are not set, and ${needs}: one of them, for tokens to be meant for Muster`]
      : []),
    ...(OIDC_CLIENT_SECRET !== undefined && OIDC_CLIENT_ID === undefined
      ? ['OIDC_CLIENT_SECRET is set without OIDC_CLIENT_ID, whose secret it is']
      : []),
    ...(OIDC_CLIENT_ID !== undefined && !isSet('API_PUBLIC_URL')
      ? ['OIDC_CLIENT_ID needs API_PUBLIC_URL: people come back from the issuer to /log-in below it']
      : []),
    ...(mode === 'oidc' && isSet('MUSTER_BOOTSTRAP_API_KEY')
      ? ['MUSTER_BOOTSTRAP_API_KEY is a key, and AUTH_MODE is oidc: leave it out, or set AUTH_MODE=both']
      : []),
  ];
}
