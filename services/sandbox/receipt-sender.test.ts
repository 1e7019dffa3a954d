import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { webhookKeyOf, webhookProblem } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { faultRules, type FaultSettings } from './faults/fault-rules.ts';
import { createFaultSwitches } from './faults/fault-switches.ts';
import { createReceiptSender, type ReceiptSender } from './receipt-sender.ts';

const key = webhookKeyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const accepted = { idempotencyKey: 'call-1', run: 'run_1', step: 2, country: 'SG' };

const sent = z.object({
  receipts: z.array(
    z.looseObject({ user: z.string(), status: z.string(), code: z.string().optional(), at: z.string() }),
  ),
});

type Reported = z.infer<typeof sent>['receipts'][number];

let sender: ReceiptSender | undefined;
afterEach(() => sender?.close());

function start(receipts: FaultSettings['receipts'] = [], statuses: number[] = []) {
  if (!key) throw new Error('the secret is none');
  const clock = createSettableClock();
  const requests: Reported[][] = [];
  const problems: (string | null)[] = [];
  const post: typeof fetch = (_url, init) => {
    const body = Buffer.from(init?.body instanceof Buffer ? init.body : '');
    const headers = new Headers(init?.headers);
    const one = (name: string) => headers.get(`webhook-${name}`) ?? undefined;
    const received = { id: one('id'), timestamp: one('timestamp'), signature: one('signature'), body };
    problems.push(webhookProblem(key, received, clock.nowMs() / 1000));
    requests.push(sent.parse(JSON.parse(body.toString())).receipts);
    return Promise.resolve(new Response('{}', { status: statuses.shift() ?? 202 }));
  };
  sender = createReceiptSender({
    url: 'http://muster.test/v1/receipts',
    key,
    delayMs: 200,
    clock,
    post,
    undeliveredFor: (user) => (user === 'lost' ? 'expired' : undefined),
    faults: createFaultSwitches(faultRules.parse({ receipts })),
    logger: createLogger('sandbox', 'silent'),
  });
  const say = sender;
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const displayed = () =>
    requests.map((each) => each.map(({ user, status, code = '' }) => `${user} ${status} ${code}`.trim()));
  return {
    accept: (...users: string[]) => say.accepted({ ...accepted, users }),
    pass,
    requests,
    view: displayed,
    problems,
    clock,
  };
}

describe('receipts of the sandbox', () => {
  it('are sent after a delay, signed, with the time of acceptance', async () => {
    const { accept, pass, requests, view, problems } = start();
    accept('u1', 'lost');
    await pass(150);
    expect(requests).toEqual([]);
    await pass(100);
    expect(view()).toEqual([['u1 delivered', 'lost undelivered expired']]);
    expect(requests[0]?.[0]).toMatchObject({ key: 'call-1', at: '2026-01-01T00:00:00.000Z' });
    expect(problems).toEqual([null]);
  });

  it('are sent again until the API accepts them', async () => {
    const { accept, pass, view } = start([], [503, 429]);
    accept('u1');
    await pass(2000);
    expect(view()).toEqual([['u1 delivered'], ['u1 delivered'], ['u1 delivered']]);
  });

  it('are sent at most 1,000 per request', async () => {
    const { accept, pass, requests } = start();
    accept(...Array.from({ length: 2500 }, (_, index) => `u${index}`));
    await pass(400);
    expect(requests.map(({ length }) => length)).toEqual([1000, 1000, 500]);
  });

  it('can be late, sent twice, omitted or contradictory by a fault rule', async () => {
    const { accept, pass, view, requests } = start([
      { name: 'late', users: ['late'], answer: { kind: 'late', byMs: 1000 } },
      { name: 'twice', users: ['twice'], answer: { kind: 'twice' } },
      { name: 'never', users: ['never'], answer: { kind: 'never' } },
      { name: 'both', users: ['both'], answer: { kind: 'contradictory' } },
    ]);
    accept('late', 'twice', 'never', 'both');
    await pass(500);
    expect(view().flat()).toEqual(['twice delivered', 'twice delivered', 'both delivered', 'both undelivered']);
    const [first, second] = requests.flat().filter(({ user }) => user === 'both');
    expect(Date.parse(first?.at ?? '') - Date.parse(second?.at ?? '')).toBe(1);
    await pass(1000);
    expect(view().flat().slice(4)).toEqual(['late delivered']);
  });
});
