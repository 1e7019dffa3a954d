import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setQuietHours } from '../../sdk/generated/sdk.gen.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';
import { createSettableClock, type SettableClock } from './support/wrong-clock.ts';

const segment = 'lapsed-riders';
const country = 'SG';
const users = 2500;
/** A step is held once this many users were refused. */
const refusedUsers = 1000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The quiet hours begin this many hours from now by the right clock, and last one hour. */
const beginInHours = 3;
/** The worker tries one batch of a held step every 30 s; such a try meets the quiet hours. */
const lastOfHoursMs = 45_000;

/** Makes batches of one user, so that each refusal counts one user. */
function withSingleUsers(config: EngineConfigFile): EngineConfigFile {
  const { 'award-reward': reward } = config.actionTypes;
  if (!reward) throw new Error('there is no award-reward');
  return { ...config, actionTypes: { ...config.actionTypes, 'award-reward': { ...reward, batchSize: 1 } } };
}

const timeOf = (atMs: number) => new Date(atMs).toISOString().slice(11, 16);

describe('row 70: a step that is held for a fault', () => {
  let clock: SettableClock;
  let trial: Trial;
  let runId: string;
  let fromMs: number;
  beforeEach(() => {
    clock = createSettableClock();
    fromMs = Math.floor(Date.now() / 60_000) * 60_000 + beginInHours * hourMs;
  });
  afterEach(async () => {
    await trial.end();
    clock.remove();
  });

  const kinds = async () =>
    (await trial.database.rows<{ kind: string }>('select kind from holds order by kind')).map(({ kind }) => kind);
  const failed = async () => (await trial.muster.api.report(runId)).steps[0]?.failed;
  const refusedCalls = async () => (await trial.faultHits())['refused'] ?? 0;

  /** Sets quiet hours that end this much later than the first ones. With null, deletes them. */
  async function setHours(longerMs: number | null): Promise<void> {
    const rule = { actionType: 'award-reward', zone: 'UTC', then: 'wait' } as const;
    const times = { from: timeOf(fromMs), until: timeOf(fromMs + hourMs + (longerMs ?? 0)) };
    const rules = longerMs === null ? [] : [{ ...rule, ...times }];
    await setQuietHours({ client: trial.muster.api.client, body: { rules } });
  }

  /**
   * Starts a run whose endpoint accepts one user and refuses all others. Resolves when the step is held because of the
   * refusals.
   */
  async function startHeld(without?: FaultControl): Promise<void> {
    trial = await startTrial({
      workers: 1,
      sandbox: { SANDBOX_SEGMENTS: `${segment}=${users}`, SANDBOX_COUNTRIES: `${country}=1` },
      countries: [country],
      engineOf: { 'worker-1': clock.environment },
      configure: withSingleUsers,
      ...(without && { without }),
    });
    await setHours(0);
    await trial.switchFaults({ calls: [{ name: 'refused', after: 1, answer: { kind: 'status', status: 422 } }] });
    const chain = [{ action: 'award-reward', params: {} }];
    runId = await trial.muster.api.run({ name: 'Refused', countries: [country], segment, chain });
    await until('the step is held', async () => (await kinds()).includes('fault'));
    await until('all refusals are recorded', async () => (await failed()) === refusedUsers - 1);
  }

  const meetsQuietHours = async () => (await kinds()).includes('quiet-hours');

  /** Resolves when the worker has found, by its clock, that the step is in quiet hours. */
  async function meetQuietHours(): Promise<void> {
    await until('the step meets quiet hours', meetsQuietHours, 90_000);
  }

  /** Sets the clock to the last minute of the quiet hours, and resolves when the step has met them. */
  async function meetLastOfQuietHours(): Promise<void> {
    let overAtMs = 0;
    await until(
      'the step meets quiet hours that end soon',
      async () => {
        if (await meetsQuietHours()) return true;
        if (performance.now() < overAtMs) return false;
        clock.set(fromMs + hourMs - lastOfHoursMs);
        overAtMs = performance.now() + lastOfHoursMs;
        return false;
      },
      180_000,
    );
  }

  /** Waits until the quiet hours have ended by the clock and one more batch was tried. */
  async function outlastQuietHours(): Promise<void> {
    await meetLastOfQuietHours();
    const before = await refusedCalls();
    await until('a batch is tried after the quiet hours', async () => (await refusedCalls()) > before, 180_000);
  }

  it('stays held while quiet hours begin, end, change and are deleted, until a person fixes the fault', async () => {
    await startHeld();
    // Another batch may be called while the end of the quiet hours is being written.
    const isHeldAsBefore = () =>
      expect.poll(async () => [await failed(), await kinds()]).toEqual([refusedUsers - 1, ['fault']]);
    await outlastQuietHours();
    await isHeldAsBefore();

    // The quiet hours of the next day, because the clock must not go back.
    clock.set(fromMs + dayMs + hourMs / 2);
    await meetQuietHours();
    const { waits } = await trial.muster.api.progress(runId);
    expect([waits[0]?.held, waits[0]?.cause.includes('refused')]).toEqual([true, true]);
    await setHours(hourMs);
    await meetQuietHours();
    expect([await failed(), await kinds()]).toEqual([refusedUsers - 1, ['fault', 'quiet-hours']]);

    const before = await refusedCalls();
    await setHours(null);
    await until('a batch is tried without quiet hours', async () => (await refusedCalls()) > before, 120_000);
    await isHeldAsBefore();

    await trial.switchFaults();
    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '70', scenario: 'held, beside quiet hours', segment })).toEqual([]);
    expect([await failed(), await kinds()]).toEqual([refusedUsers - 1, []]);
  }, 900_000);

  it('fails more users after the quiet hours if their end also lifts the fault (control)', async () => {
    await startHeld(faultControls.holdsEndAlone);
    await outlastQuietHours();
    await until('more users have failed', async () => ((await failed()) ?? 0) > 1.5 * refusedUsers);
  }, 900_000);
});
