import { expect, it } from 'vitest';
import type { IssuerAnswer } from '../../../../shared/ports/openid.ts';
import { createLogger } from '../../../../shared/runtime/logger.ts';
import { signInSecretsOf } from './sign-in-cookie.ts';
import { createSignIn } from './sign-in.ts';

const secret = 'secret of this browser';
const issuer = 'https://id.example.com';

/** Creates a sign-in whose issuer redeems codes when `answerAll` is called, and refuses them. */
function createWaitingSignIn() {
  const waiting: ((answer: IssuerAnswer<string>) => void)[] = [];
  const signIn = createSignIn({
    settings: { issuer, name: 'Example' },
    client: { id: 'console', secret: undefined, scope: 'openid', sessionMs: 3_600_000 },
    publicAddress: { origin: 'https://muster.example.com', basePath: '' },
    provider: { exchange: () => new Promise((resolve) => waiting.push(resolve)) },
    keys: { discovered: () => Promise.resolve({ issuer, jwks_uri: `${issuer}/keys` }) },
    authenticator: { callerOfSignIn: () => Promise.reject(new Error('the issuer redeems no code')) },
    logger: createLogger('api', 'silent'),
  });
  const begin = () =>
    signIn
      .callerOf({ code: 'code', state: signInSecretsOf(secret).state, secrets: [secret], from: '192.0.2.1' })
      .catch((problem: unknown) => problem);
  return {
    begin,
    waiting,
    answerAll: () => {
      for (const answer of waiting.splice(0)) answer({ ok: false, kind: 'refused', cause: 'invalid_grant' });
    },
  };
}

it('redeems the codes of 50 people at once, refuses the next, and continues after the answers', async () => {
  const { begin, waiting, answerAll } = createWaitingSignIn();
  const begun = Array.from({ length: 50 }, begin);
  await expect.poll(() => waiting.length).toBe(50);
  expect(await begin()).toMatchObject({ status: 503 });
  expect(waiting).toHaveLength(50);
  answerAll();
  expect(await Promise.all(begun)).toEqual(Array(50).fill(expect.objectContaining({ code: 'sign-in-refused' })));
  const next = begin();
  await expect.poll(() => waiting.length).toBe(1);
  answerAll();
  expect(await next).toMatchObject({ status: 401 });
});
