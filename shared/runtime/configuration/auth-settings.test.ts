import { describe, expect, it } from 'vitest';
import { readAuthSettings } from './auth-settings.ts';
import { ConfigurationError } from './configuration-error.ts';

const least = {
  AUTH_MODE: 'both',
  OIDC_ISSUER: 'https://sso.example/main',
  OIDC_ROLES: 'a=viewer',
  OIDC_AUDIENCE: 'm',
};

function problemsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readAuthSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('readAuthSettings', () => {
  it('selects API keys if AUTH_MODE is not set', () => {
    expect(readAuthSettings({})).toEqual({ mode: 'keys', issuer: undefined });
  });

  it('reads the issuer and its group-to-role mapping in the configured order', () => {
    const OIDC_ROLES = 'muster-admins=operator, CN=Managers;OU=Growth=manager ,a=viewer';
    expect(readAuthSettings({ ...least, OIDC_ROLES }).issuer).toMatchObject({
      issuer: 'https://sso.example/main',
      name: 'sso.example',
      audiences: ['m'],
      client: undefined,
      roles: [
        { value: 'muster-admins', role: 'operator' },
        { value: 'CN=Managers;OU=Growth', role: 'manager' },
        { value: 'a', role: 'viewer' },
      ],
    });
  });

  it('uses OIDC_CLIENT_ID as the audience if OIDC_AUDIENCE is not set', () => {
    const { OIDC_AUDIENCE: _, ...rest } = least;
    const client = { OIDC_CLIENT_ID: 'console', OIDC_SESSION_HOURS: '8', API_PUBLIC_URL: 'https://muster.example' };
    expect(readAuthSettings({ ...rest, ...client }).issuer).toMatchObject({
      audiences: ['console'],
      client: { id: 'console', secret: undefined, scope: 'openid profile email', sessionMs: 8 * 3_600_000 },
    });
  });
});

describe('the check of the auth settings', () => {
  it.each([
    [{ AUTH_MODE: 'none' }, ['AUTH_MODE']],
    [{ OIDC_ISSUER: 'https://sso.example' }, ['OIDC_ISSUER', 'AUTH_MODE']],
    [{ AUTH_MODE: 'oidc' }, ['OIDC_ISSUER', 'OIDC_ROLES', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID']],
    [{ ...least, OIDC_ISSUER: 'http://sso.example' }, ['OIDC_ISSUER', 'https']],
    [{ ...least, OIDC_ISSUER: 'https://user:secret@sso.example' }, ['OIDC_ISSUER']],
    [{ ...least, OIDC_ROLES: 'a=viewer,b=king' }, ['OIDC_ROLES', 'operator']],
    [{ ...least, OIDC_ROLES: 'a' }, ['OIDC_ROLES']],
    [{ ...least, OIDC_CLIENT_SECRET: 'hidden' }, ['OIDC_CLIENT_SECRET', 'OIDC_CLIENT_ID']],
    [{ ...least, OIDC_CLIENT_ID: 'console' }, ['OIDC_CLIENT_ID', 'API_PUBLIC_URL']],
    [{ ...least, OIDC_SIGN_IN_SCOPE: 'email' }, ['OIDC_SIGN_IN_SCOPE', 'openid']],
    [
      { ...least, AUTH_MODE: 'oidc', MUSTER_BOOTSTRAP_API_KEY: 'x'.repeat(16) },
      ['MUSTER_BOOTSTRAP_API_KEY', 'AUTH_MODE'],
    ],
    [{ ...least, AUTH_MODE: 'oidc', MUSTER_BOOTSTRAP_API_KEY_FILE: '/run/k' }, ['MUSTER_BOOTSTRAP_API_KEY']],
  ])('names the wrong variables and prints no secret: %j', (environment, named) => {
    const reported = problemsOf(environment).join('\n');
    for (const name of named) expect(reported).toContain(name);
    expect(reported).not.toContain('hidden');
  });

  it('accepts an http issuer on localhost, for trying it out', () => {
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:80'])
      expect(problemsOf({ ...least, OIDC_ISSUER: `http://${host}/main` })).toEqual([]);
  });
});
