import type { EngineConfigFile } from '../../e2e/engine-config.ts';
import type { MusterApi } from '../../e2e/muster-api.ts';

/**
 * Settings of an installation in which every call for points gets an error, and has no endpoint for the status of
 * users.
 */
export const lostAnswers = {
  sandbox: { SANDBOX_POINTS_SERVER_ERROR_SHARE: '1', SANDBOX_POINTS_MEMORY: 'none' },
  configure: (config: EngineConfigFile): EngineConfigFile => {
    const { 'award-points': points } = config.actionTypes;
    if (!points) throw new Error('the configuration has no points');
    return { ...config, actionTypes: { ...config.actionTypes, 'award-points': { ...points, class: 'D' } } };
  },
};

/** Resolves when a run has ended in which the outcome of all users is unknown. Returns the id of the run. */
export async function runWithUnknownUsers(api: MusterApi, segment: string): Promise<string> {
  const chain = [{ action: 'award-points', params: { points: 3 } }];
  const runId = await api.run({ name: 'Points, answers lost', countries: ['SG', 'VN'], segment, chain });
  await api.awaitEnd(runId);
  return runId;
}
