import type { ActionType } from '../installation.ts';
import type { Campaign } from '../muster-api.ts';

/** Two quiet neighbours, and what happens to one of them. */
export interface Situation {
  /** What `--only` takes. */
  name: string;
  title: string;
  countries: readonly string[];
  partitionsPerShard: number;
  actionTypes: (stubUrl: string) => Record<string, ActionType>;
  /**
   * Who is measured: alone, and again while the others are at it. With a large one beside it, it needs no more than its
   * half of the slots.
   */
  neighbour: Campaign;
  neighbourUsers: number;
  others: readonly Campaign[];
  /** From the start of the others to that of the neighbour: time for the fault to spread as far as it will. */
  leadMs: number;
  /** Whether the others must not have ended before the neighbour; they are too small otherwise. */
  othersOutlast: boolean;
}

const healthy = { rewardId: 'ride-5' };
const chain = (rewardId: string) => [
  { action: 'award-reward', params: { rewardId } },
  { action: 'send-message', params: healthy },
];

/**
 * Few enough slots that two cores are half idle: what a neighbour loses, it loses to the engine, not to the machine.
 */
const slots = 20;

const actionTypes =
  (rewardMs: number, messageMs: number, timeoutMs = 10_000) =>
  (stubUrl: string) => ({
    'award-reward': {
      url: `${stubUrl}/batches/full/${rewardMs}`,
      answerForm: 'full' as const,
      concurrency: slots,
      timeoutMs,
    },
    'send-message': {
      url: `${stubUrl}/batches/full/${messageMs}`,
      answerForm: 'full' as const,
      concurrency: slots,
      timeoutMs,
    },
  });

const quarterThousand = Array.from({ length: 250 }, (_, index) => codeOf(index));
const inSingapore = { name: 'neighbour', countries: ['SG'], segment: '5000', chain: chain('ride-5') };

const small = { neighbour: { ...inSingapore, segment: '1000' }, neighbourUsers: 1000 };
const shared = { countries: ['SG', 'ID'], partitionsPerShard: 6, neighbour: inSingapore, neighbourUsers: 5000 };

/** Another campaign of the same shard, of which the endpoint answers each call badly, by its parameters. */
const badly = (name: string, title: string, rewardId: string) => ({
  ...shared,
  name,
  title,
  leadMs: 15_000,
  othersOutlast: true,
  actionTypes: actionTypes(20, 20, 5000),
  others: [{ ...inSingapore, name, segment: '1000000', chain: chain(rewardId) }],
});

export const situations: readonly Situation[] = [
  {
    ...shared,
    ...small,
    name: 'behind-large',
    title: 'a large campaign in the same shards, the neighbour having ten batches',
    actionTypes: actionTypes(50, 50),
    others: [{ ...inSingapore, name: 'large', segment: '3000000' }],
    leadMs: 8000,
    othersOutlast: true,
  },
  {
    ...shared,
    ...small,
    name: 'slow-second-step',
    title: 'the same, the second step 20 times slower than the first',
    actionTypes: actionTypes(5, 100),
    others: [{ ...inSingapore, name: 'large', segment: '3000000' }],
    leadMs: 8000,
    othersOutlast: true,
  },
  {
    ...shared,
    name: 'hanging-country',
    title: "another country's endpoint hangs until its time-out of 5 s",
    actionTypes: actionTypes(20, 20, 5000),
    others: [{ name: 'hanging', countries: ['ID'], segment: '200000', chain: chain('hang') }],
    leadMs: 8000,
    othersOutlast: true,
  },
  badly('wrong-parameters', 'another campaign of the same shard is answered 404 for everybody', 'missing'),
  badly('hanging-campaign', "another campaign's calls in the same shard hang until their time-out of 5 s", 'hang'),
  badly('failing-campaign', 'another campaign of the same shard is answered 500 for everybody', 'failing'),
  badly('throttled-campaign', 'another campaign of the same shard is answered 429 for everybody', 'throttled'),
  {
    ...shared,
    name: 'stalled-feeds',
    title: '500 feeds of segments that stall or hang',
    countries: ['SG', ...quarterThousand],
    partitionsPerShard: 1,
    actionTypes: (stubUrl) => ({ 'award-reward': rewardOnly(stubUrl) }),
    neighbour: { ...inSingapore, chain: chain('ride-5').slice(0, 1) },
    others: ['stalled-1000', 'hanging-1000'].map((segment) => {
      return { name: segment, countries: quarterThousand, segment, chain: chain('ride-5').slice(0, 1) };
    }),
    leadMs: 20_000,
    othersOutlast: true,
  },
  {
    ...shared,
    name: 'undescribed',
    title: '40 campaigns whose segments do not describe themselves',
    actionTypes: actionTypes(20, 20),
    others: Array.from({ length: 40 }, (_, index) => {
      return { ...inSingapore, name: `undescribed ${index}`, segment: 'undescribed-1000' };
    }),
    leadMs: 3000,
    othersOutlast: true,
  },
];

function rewardOnly(stubUrl: string): ActionType {
  return { url: `${stubUrl}/batches/full/20`, answerForm: 'full', concurrency: slots };
}

/** Codes of countries that there are not, so that they can be as many as one likes: AA, AB, … without SG. */
function codeOf(index: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQR';
  const [first = '', second = ''] = [letters[Math.floor(index / letters.length)], letters[index % letters.length]];
  return first + second;
}
