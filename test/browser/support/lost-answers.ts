import type { EngineConfigFile } from '../../e2e/engine-config.ts';
import type { MusterApi } from '../../e2e/muster-api.ts';

/** For an installation in which each call of points is answered with an error, and nobody can be asked what it did. */
export const lostAnswers = {
  sandbox: { SANDBOX_POINTS_SERVER_ERROR_SHARE: '1', SANDBOX_POINTS_MEMORY: 'none' },
  configure: (config: EngineConfigFile): EngineConfigFile => {
    const { 'award-points': points } = config.actionTypes;
    if (!points) throw new Error('the configuration has no points');
    return { ...config, actionTypes: { ...config.actionTypes, 'award-points': { ...points, class: 'D' } } };
  },
};

/** A run that has ended, and of whose users nobody knows whether they were served. */
export async function runWithUnknownUsers(api: MusterApi, segment: string): Promise<string> {
  const chain = [{ action: 'award-points', params: { points: 3 } }];
  const runId = await api.run({ name: 'Points, answers lost', countries: ['SG', 'VN'], segment, chain });
  await api.awaitEnd(runId);
  return runId;
}
