import type { ActionType } from '../installation.ts';
import type { Campaign } from '../muster-api.ts';

/** A neighbour whose time is measured, and other campaigns that disturb it. */
export interface Situation {
  /** Name for `--only`. */
  name: string;
  title: string;
  countries: readonly string[];
  partitionsPerShard: number;
  actionTypes: (stubUrl: string) => Record<string, ActionType>;
  /**
   * Measured campaign: it runs alone, and again beside the other campaigns. Beside a large campaign, it needs at most
   * its half of the slots.
   */
  neighbour: Campaign;
  neighbourUsers: number;
  others: readonly Campaign[];
  /**
   * Milliseconds from the start of the other campaigns to the start of the neighbour, so that the fault has its full
   * effect.
   */
  leadMs: number;
  /** True if the other campaigns must not end before the neighbour. If they do, they are too small. */
  othersOutlast: boolean;
}

const healthy = { rewardId: 'ride-5' };
const chain = (rewardId: string) => [
  { action: 'award-reward', params: { rewardId } },
  { action: 'send-message', params: healthy },
];

/**
 * Slots of the worker: few enough that two cores are half idle. So a slower neighbour is slowed down by the engine, not
 * by the machine.
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

const countries250 = Array.from({ length: 250 }, (_, index) => codeOf(index));
const neighbourCampaign = { name: 'neighbour', countries: ['SG'], segment: '5000', chain: chain('ride-5') };

const small = { neighbour: { ...neighbourCampaign, segment: '1000' }, neighbourUsers: 1000 };
const shared = { countries: ['SG', 'ID'], partitionsPerShard: 6, neighbour: neighbourCampaign, neighbourUsers: 5000 };

/**
 * Situation with another campaign of the same shard whose endpoint misbehaves on every call; `rewardId` selects how.
 */
const misbehavingEndpoint = (name: string, title: string, rewardId: string) => ({
  ...shared,
  name,
  title,
  leadMs: 15_000,
  othersOutlast: true,
  actionTypes: actionTypes(20, 20, 5000),
  others: [{ ...neighbourCampaign, name, segment: '1000000', chain: chain(rewardId) }],
});

export const situations: readonly Situation[] = [
  {
    ...shared,
    ...small,
    name: 'behind-large',
    title: 'a large campaign in the same shards, the neighbour having ten batches',
    actionTypes: actionTypes(50, 50),
    others: [{ ...neighbourCampaign, name: 'large', segment: '3000000' }],
    leadMs: 8000,
    othersOutlast: true,
  },
  {
    ...shared,
    ...small,
    name: 'slow-second-step',
    title: 'the same, the second step 20 times slower than the first',
    actionTypes: actionTypes(5, 100),
    others: [{ ...neighbourCampaign, name: 'large', segment: '3000000' }],
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
  misbehavingEndpoint(
    'wrong-parameters',
    'another campaign of the same shard is answered 404 for everybody',
    'missing',
  ),
  misbehavingEndpoint(
    'hanging-campaign',
    "another campaign's calls in the same shard hang until their time-out of 5 s",
    'hang',
  ),
  misbehavingEndpoint(
    'failing-campaign',
    'another campaign of the same shard is answered 500 for everybody',
    'failing',
  ),
  misbehavingEndpoint(
    'throttled-campaign',
    'another campaign of the same shard is answered 429 for everybody',
    'throttled',
  ),
  {
    ...shared,
    name: 'stalled-feeds',
    title: '500 feeds of segments that stall or hang',
    countries: ['SG', ...countries250],
    partitionsPerShard: 1,
    actionTypes: (stubUrl) => ({ 'award-reward': rewardAction(stubUrl) }),
    neighbour: { ...neighbourCampaign, chain: chain('ride-5').slice(0, 1) },
    others: ['stalled-1000', 'hanging-1000'].map((segment) => {
      return { name: segment, countries: countries250, segment, chain: chain('ride-5').slice(0, 1) };
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
      return { ...neighbourCampaign, name: `undescribed ${index}`, segment: 'undescribed-1000' };
    }),
    leadMs: 3000,
    othersOutlast: true,
  },
];

function rewardAction(stubUrl: string): ActionType {
  return { url: `${stubUrl}/batches/full/20`, answerForm: 'full', concurrency: slots };
}

/**
 * Returns a country code: AA, AB, … without SG. The codes need not belong to real countries, so that there can be many.
 */
function codeOf(index: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQR';
  const [first = '', second = ''] = [letters[Math.floor(index / letters.length)], letters[index % letters.length]];
  return first + second;
}
