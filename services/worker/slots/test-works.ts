import { engineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { topicNames } from '../../../shared/domain/endpoint/shard.ts';
import { createStepState } from '../step/step-state.ts';
import type { Work } from '../step/work.ts';

export const topics = topicNames('muster');
export const countries = ['SG', 'ID'];

export function configOf(concurrency: number) {
  const type = { url: 'http://endpoint', class: 'A', concurrency };
  return engineConfig.parse({
    countries,
    segmentation: { url: 'http://segments' },
    actionTypes: { 'award-reward': type, 'send-message': type },
  });
}

export function worksOf(
  feedId: string,
  count: number,
  { actionType = 'award-reward', country = 'SG', runId = feedId } = {},
): Work[] {
  const type = configOf(10).actionTypes[actionType];
  if (!type) throw new Error(`${actionType} is not configured`);
  return Array.from({ length: count }, (_, index) => ({
    claim: {
      feedId,
      batchNo: index + 1,
      step: 1,
      epoch: 1,
      attempts: 0,
      open: false,
      waited: false,
      lapses: 0,
      users: '"u"',
      size: 1,
    },
    context: {
      feedId,
      runId,
      campaignId: 'c',
      country,
      chain: [{ action: actionType, params: {} }],
      unitsPerUser: null,
      stepModes: null,
    },
    standing: createStepState(feedId, 1, { succeeded: 0, refused: 0, refusedSince: 0 }),
    topic: topics.shard({ actionType, country }),
    actionType,
    type,
    origin: null,
    lost: [],
    users: '"u"',
    count: 1,
    plain: true,
    claimedAtMs: 0,
    isProbe: false,
  }));
}
