import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import { webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { judgeEndpoint } from './check-endpoint.ts';
import { signing, startSandbox } from './test-sandbox.ts';
import type { Verdict } from './verdict.ts';

/** Time-out of tests in which an answer has to be late. */
const shortMs = 400;
/** Time-out of tests in which slowness is not the subject: no busy machine takes half of it for an answer. */
const ampleMs = 20_000;
interface Trial {
  rules?: { calls?: object[]; status?: object[] };
  environment?: Record<string, string>;
  /** Class that the endpoint declares, if it differs from its real class. */
  declared?: ContractClass;
  /** The secret that calls are signed with. */
  signedWith?: string;
  timeoutMs?: number;
  /** Returns the URLs of option lists, from the base URL of the sandbox's services. */
  options?: (base: string) => string[];
  /** Returns the URL of the endpoint of previews, from the base URL of the sandbox's services. */
  previewUrl?: (base: string) => string;
  params?: Record<string, unknown>;
}

/** Returns a short time-out for an answer that never arrives whole, because the test waits for the time-out. */
function timeoutFor(answer: object): number {
  return 'kind' in answer && (answer.kind === 'hang' || answer.kind === 'drip') ? shortMs : ampleMs;
}

/** Judges an endpoint without waiting between calls, because the sandbox applies each call at once. */
async function judge(
  actual: ContractClass,
  {
    rules = {},
    environment = {},
    declared = actual,
    signedWith,
    timeoutMs = ampleMs,
    options = () => [],
    previewUrl,
    params = {},
  }: Trial = {},
) {
  const named = (list: object[] = []) => list.map((rule) => ({ name: 'misbehaviour', ...rule }));
  const faults = JSON.stringify({ calls: named(rules.calls), status: named(rules.status) });
  const sandbox = await startSandbox(actual, { ...environment, SANDBOX_FAULTS: faults });
  const { url } = sandbox;
  try {
    return await judgeEndpoint(
      {
        url: `${url}/batches`,
        contractClass: declared,
        isCheck: environment['service'] === 'checks',
        statusUrl: declared === 'C' ? `${url}/status` : undefined,
        options: options(url),
        previewUrl: previewUrl?.(url),
        authorization: undefined,
        signingKey: signedWith === undefined ? undefined : webhookKeyOf(signedWith),
        answerForm: undefined,
        params,
        actionType: 'award-reward',
        country: 'SG',
        batchSize: 100,
        timeoutMs,
        appliesLateMs: 1000,
        // With a fixed id of the check, user ids are the same in every run. The sandbox chooses users by a hash of
        // their ids.
        checkId: '1b4e28ba',
      },
      () => Promise.resolve(),
    );
  } finally {
    await sandbox.stop();
  }
}

const brokenIn = ({ checks }: Verdict) => checks.filter(({ passed }) => !passed).map(({ name }) => name);

describe('check-endpoint on an endpoint that keeps its contract', () => {
  it.each<ContractClass>(['A', 'B', 'C', 'D'])('passes for contract class %s', async (contractClass) => {
    const verdict = await judge(contractClass);
    expect(verdict.checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(verdict).toMatchObject({ passed: true, class: contractClass, notes: [] });
  });

  it.each<ContractClass>(['A', 'B', 'C', 'D'])(
    'passes for contract class %s if responses use the compact form and some users fail',
    async (of) => {
      const settings = { SANDBOX_MESSAGES_FAILURE_SHARE: '0.3', SANDBOX_MESSAGES_RETRYABLE_SHARE: '0.1' };
      expect(brokenIn(await judge(of, { environment: { service: 'messages', ...settings } }))).toEqual([]);
    },
  );

  it.each<ContractClass>(['A', 'B', 'C', 'D'])(
    'passes for contract class %s with interim responses before each response',
    async (of) => {
      const rules = { calls: [{ interim: [100, 102, 103, 100] }], status: [{ interim: [100, 102, 103, 100] }] };
      expect(brokenIn(await judge(of, { rules }))).toEqual([]);
    },
  );

  it('passes if the endpoint serves check steps, so that it stores no results and may answer differently each time', async () => {
    const settings = { service: 'checks', SANDBOX_CHECKS_FAILURE_SHARE: '0.3' };
    const verdict = await judge('A', { environment: settings });
    expect(brokenIn(verdict)).toEqual([]);
    expect(verdict.checks.map(({ name }) => name)).not.toContain('repeat');
  });

  it.each<[string, object]>([
    ['that refuses very large calls with 413', { moreUsersThan: 500, answer: { kind: 'status', status: 413 } }],
    [
      'that answers 409 to the second of two concurrent calls',
      { overlapping: true, answer: { kind: 'status', status: 409 } },
    ],
    ['that fails every user', { answer: { kind: 'fail-users', code: 'unknown-user' } }],
  ])('passes for an endpoint %s', async (_name, rule) => {
    expect(brokenIn(await judge('A', { rules: { calls: [rule, { latencyMs: 20 }] } }))).toEqual([]);
  });

  it('warns that its checks were weak if the endpoint served no user', async () => {
    const rule = { answer: { kind: 'fail-users', code: 'unknown-user' } };
    const verdict = await judge('A', { rules: { calls: [rule] } });
    expect(verdict.notes.join()).toContain('no user was ever served');
  });
});

describe('check-endpoint on an endpoint with signed calls', () => {
  const checks = { SANDBOX_SIGNING_SECRET: signing };

  it.each<ContractClass>(['A', 'C'])('passes if the endpoint verifies signatures, class %s', async (of) => {
    const verdict = await judge(of, { environment: checks, signedWith: signing });
    expect(verdict.checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(verdict.checks.map(({ name }) => name)).toContain('forged-signature');
  });

  it('fails if the endpoint accepts a call signed with another secret', async () => {
    expect(brokenIn(await judge('A', { signedWith: signing }))).toEqual(['forged-signature']);
  });

  it('fails at the first call if check-endpoint has no secret to sign with', async () => {
    expect(brokenIn(await judge('A', { environment: checks }))).toEqual(['one-user']);
  });
});

describe('check-endpoint on an endpoint with option lists', () => {
  const problemsOf = ({ checks }: Verdict) => checks.find(({ name }) => name === 'options')?.problems;

  it('passes lists that keep the contract, with signed calls if the endpoint requires them', async () => {
    const options = (base: string) => [`${base}/options`];
    expect(problemsOf(await judge('A', { options }))).toEqual([]);
    const environment = { SANDBOX_SIGNING_SECRET: signing };
    expect(problemsOf(await judge('A', { options, environment, signedWith: signing }))).toEqual([]);
    expect(problemsOf(await judge('A'))).toBeUndefined();
  });

  it('fails if the URL of the list does not exist', async () => {
    const [problem] = problemsOf(await judge('A', { options: (base) => [`${base}/nothing`] })) ?? [];
    expect(problem).toMatch(/\/rewards\/v1\/nothing: HTTP 404$/);
  });

  it.each<[string, (query: URLSearchParams) => object, RegExp]>([
    [
      'ignores the limit',
      () => ({ options: ['a', 'b', 'c'].map((value) => ({ value })) }),
      /asked for 2, it answers 3$/,
    ],
    ['ignores the search', () => ({ options: [{ value: 'a' }] }), /finds 1: it is passed over$/],
    [
      'finds none of its values',
      (query) => ({ options: query.has('search') ? [] : [{ value: 'a' }] }),
      /"a" does not find it$/,
    ],
    ['contains a value twice', () => ({ options: [{ value: 'a' }, { value: 'a' }] }), /a value stands there twice$/],
    ['mixes texts and numbers', () => ({ options: [{ value: 'a' }, { value: 1 }] }), /texts and numbers$/],
    ['is not a list', () => ({}), /the response is not valid: options/],
  ])('fails if the list %s', async (_name, answer, problem) => {
    const lists = createServer(({ url = '' }, response) => {
      response.end(JSON.stringify(answer(new URL(url, 'http://lists').searchParams)));
    });
    lists.listen(0, '127.0.0.1');
    await once(lists, 'listening');
    const address = z.object({ port: z.int() }).parse(lists.address());
    const verdict = await judge('D', { options: () => [`http://127.0.0.1:${address.port}/options`] });
    lists.close();
    lists.closeAllConnections();
    expect(problemsOf(verdict)).toEqual([expect.stringMatching(problem)]);
    expect(brokenIn(verdict)).toEqual(['options']);
  });
});

describe('check-endpoint on an endpoint with previews', () => {
  const previewUrl = (base: string) => base.replace('rewards/v1', 'messages/v1/preview');
  const previewOf = ({ checks }: Verdict) => checks.find(({ name }) => name === 'preview');

  it('passes if the preview is a message or the reason why the made-up user would get none', async () => {
    const params = { template: 'payday' };
    expect(previewOf(await judge('D', { previewUrl, params }))).toMatchObject({ problems: [], notes: [] });
    const refused = previewOf(await judge('D', { previewUrl, params: { template: 'x' } }));
    expect(refused?.problems).toEqual([]);
    expect(refused?.notes).toEqual([expect.stringContaining('no-such-template')]);
    expect(previewOf(await judge('D'))).toBeUndefined();
  });

  it('fails for any other answer', async () => {
    const verdict = await judge('D', { previewUrl: (base) => `${base}/nothing` });
    expect(brokenIn(verdict)).toEqual(['preview']);
    expect(previewOf(verdict)?.problems).toEqual([expect.stringMatching(/\/nothing: HTTP 405/)]);
  });
});

// These tests run concurrently, because those about slow answers wait for a time-out.
describe.concurrent('check-endpoint on a broken endpoint', () => {
  it.each<[string, object]>([
    ['that answers 500', { kind: 'status', status: 500 }],
    ['that answers a redirect', { kind: 'status', status: 307 }],
    ['that answers 401', { kind: 'status', status: 401 }],
    ['that refuses everything', { kind: 'status', status: 422, code: 'no' }],
    ['that answers 429 to every call', { kind: 'status', status: 429, retryAfterSeconds: 60 }],
    ['that does not answer', { kind: 'hang' }],
    ['that resets the connection', { kind: 'reset' }],
    ['that sends half a body', { kind: 'half-body' }],
    ['that does not answer JSON', { kind: 'garbage' }],
    ['that sends an oversized body', { kind: 'oversize', bytes: 50_000_000 }],
    ['that sends its body byte by byte', { kind: 'drip', everyMs: 50 }],
    ['that compresses its response', { kind: 'compressed' }],
    ['that contradicts itself', { kind: 'wrong-count' }],
    ['that omits every user', { kind: 'omit-users' }],
    ['that names users who were not in the call', { kind: 'add-users', users: ['somebody-else'] }],
    ['that uses unknown words', { kind: 'tell-users', status: 'ok' }],
  ])('fails at the first call of an endpoint %s', async (_name, answer) => {
    const verdict = await judge('A', { rules: { calls: [{ answer }] }, timeoutMs: timeoutFor(answer) });
    expect(brokenIn(verdict)).toEqual(['one-user']);
    expect(verdict.notes.join()).toContain('were not played');
  });

  it('fails at the first call if the compact form has wrong counts', async () => {
    const rules = { calls: [{ answer: { kind: 'wrong-count' } }] };
    expect(brokenIn(await judge('B', { rules, environment: { service: 'messages' } }))).toEqual(['one-user']);
  });

  it.each<[check: string, ContractClass, string, object]>([
    ['whole-batch', 'A', 'omits a few of many users', { answer: { kind: 'omit-users', userShare: 0.05 } }],
    ['whole-batch', 'A', 'refuses a whole batch', { moreUsersThan: 50, answer: { kind: 'status', status: 413 } }],
    ['many-users', 'A', 'fails with many users', { moreUsersThan: 500, answer: { kind: 'status', status: 500 } }],
    ['odd-ids', 'A', 'changes user ids', { answer: { kind: 'mangle-ids' } }],
    ['odd-ids', 'A', 'breaks at odd ids', { oddIds: true, answer: { kind: 'status', status: 500 } }],
    ['unknown-fields', 'A', 'is strict about fields', { unknownFields: true, answer: { kind: 'status', status: 400 } }],
    ['repeat', 'A', 'refuses repeats', { fromAttempt: 2, answer: { kind: 'status', status: 409 } }],
    [
      'repeat',
      'A',
      'fails users of a repeated call',
      { fromAttempt: 2, answer: { kind: 'tell-users', status: 'failed', code: 'already-awarded' } },
    ],
    [
      'repeat',
      'B',
      'answers a repeat differently',
      { fromAttempt: 2, answer: { kind: 'tell-users', status: 'failed', code: 'already-awarded' } },
    ],
    [
      'parallel',
      'A',
      'fails if a call is sent twice concurrently',
      { overlapping: true, answer: { kind: 'status', status: 500 } },
    ],
    [
      'parallel',
      'B',
      'fails if a call is sent twice concurrently',
      { overlapping: true, answer: { kind: 'status', status: 500 } },
    ],
  ])('fails in the check %s of class %s if the endpoint %s', async (check, of, _name, rule) => {
    // Parallel calls need a latency that makes them overlap on a busy machine too.
    const latencyMs = check === 'parallel' ? 150 : 20;
    const verdict = await judge(of, { rules: { calls: [rule, { latencyMs }] } });
    expect(brokenIn(verdict)).toContain(check);
    expect(brokenIn(verdict)).not.toContain('one-user');
  });

  it('fails if a response takes more than half of the timeout', async () => {
    // Only whole batches are slow, because each of these calls takes real time. The latency is a little more than half
    // of the time-out.
    const rules = { calls: [{ moreUsersThan: 50, latencyMs: 2100 }] };
    expect(brokenIn(await judge('D', { timeoutMs: 4000, rules }))).toEqual(['in-time']);
  });

  it.each<[declared: ContractClass, actual: ContractClass, check: string]>([
    ['B', 'A', 'key-reused'],
    ['B', 'D', 'key-reused'],
    ['C', 'A', 'status-unsent'],
  ])('fails if the endpoint declares class %s but behaves like class %s', async (declared, actual, check) => {
    expect(brokenIn(await judge(actual, { declared }))).toContain(check);
  });

  it('fails if the same users get another result under another key (class A)', async () => {
    // The calls of earlier checks pass: the rule applies to the eighth call with more than six users.
    const rule = { moreUsersThan: 6, answer: { kind: 'tell-users', status: 'failed', code: 'twice' } };
    const verdict = await judge('A', { rules: { calls: [{ ...rule, toAttempt: 1, after: 7 }] } });
    expect(brokenIn(verdict)).toEqual(['other-key']);
  });

  it.each<[check: string, string, { after?: number; answer: object }]>([
    ['status-unsent', 'returns 500', { answer: { kind: 'status', status: 500 } }],
    ['status-unsent', 'does not answer', { answer: { kind: 'hang' } }],
    ['status-unsent', 'resets the connection', { answer: { kind: 'reset' } }],
    ['status-unsent', 'does not answer JSON', { answer: { kind: 'garbage' } }],
    ['status-unsent', 'sends an oversized body', { answer: { kind: 'oversize', bytes: 50_000_000 } }],
    ['status-unsent', 'sends its body byte by byte', { answer: { kind: 'drip', everyMs: 50 } }],
    ['status-unsent', 'compresses its response', { answer: { kind: 'compressed' } }],
    ['status-unsent', 'omits users', { answer: { kind: 'omit-users', userShare: 0.1 } }],
    ['status-unsent', 'uses unknown words', { answer: { kind: 'tell-users', status: 'missing' } }],
    ['status-unsent', 'reports every user as served', { answer: { kind: 'tell-users', status: 'succeeded' } }],
    ['status-served', 'does not find served users', { answer: { kind: 'tell-users', status: 'not-found' } }],
    ['status-odd-ids', 'changes user ids', { answer: { kind: 'mangle-ids' } }],
    ['status-other-step', 'does not distinguish steps', { answer: { kind: 'first-step' } }],
    ['status-cut-off', 'never settles', { after: 5, answer: { kind: 'tell-users', status: 'in-progress' } }],
    [
      'status-cut-off',
      'contradicts its earlier status',
      { after: 6, answer: { kind: 'tell-users', status: 'not-found' } },
    ],
  ])('fails in the check %s (class C) if the status %s', async (check, _name, rule) => {
    const verdict = await judge('C', { rules: { status: [rule] }, timeoutMs: timeoutFor(rule.answer) });
    expect(brokenIn(verdict)).toContain(check);
  });

  it('describes the problem and names the affected user', async () => {
    const rule = { fromAttempt: 2, answer: { kind: 'tell-users', status: 'failed', code: 'already-awarded' } };
    const { checks } = await judge('A', { rules: { calls: [rule] } });
    const [problem] = checks.find(({ name }) => name === 'repeat')?.problems ?? [];
    expect(problem).toMatch(
      /^the same call again has other results than the first for 100 users, such as "muster-check-.*": succeeded before, failed \(already-awarded\) now; Muster would count the wrong one$/,
    );
  });
});
