import { afterEach, describe, expect, it } from 'vitest';
import { uploadedAudience } from '../../shared/contracts/campaigns/uploaded-audiences.ts';
import { settlement } from '../../shared/contracts/runs/settlements.ts';
import { suppressionUpload } from '../../services/api/withheld/suppressions/suppressions.contract.ts';
import { pageSegment } from '../e2e/gather-evidence.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import {
  readableShapes,
  shapeWithMissingUsers,
  unreadableShapes,
  type FileShape,
  type Table,
} from './support/file-shapes.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';

const segment = 'everybody';
const [action, unknownAction] = ['award-reward', 'send-message'];
/** Users of each file. One invalid row among them needs no consent. */
const perFile = 30;
/** An audience may contain at most 10 lists. */
const entriesOfAudience = 8;

const shapeCount = readableShapes({ more: [], rows: [] }).length;

function shapeOf(index: number, table: Table): FileShape {
  const shape = readableShapes(table)[index];
  if (!shape) throw new Error(`there are ${shapeCount} shapes`);
  return shape;
}

const usersAlone = (users: readonly string[]): Table => ({ more: [], rows: users.map((user) => ({ user, more: [] })) });

describe('row 72: uploaded files in various formats', () => {
  let trial: Trial;
  let everybody: readonly string[];
  afterEach(() => trial.end());

  async function begin(without?: FaultControl): Promise<void> {
    trial = await startTrial({
      workers: 2,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=3000`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_REWARDS_LATENCY_MS: '300-400',
        SANDBOX_MESSAGES_MEMORY: 'none',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '1' },
      configure: (config) => {
        const type = config.actionTypes[unknownAction];
        if (!type) throw new Error(`the configuration has no ${unknownAction}`);
        return { ...config, actionTypes: { ...config.actionTypes, [unknownAction]: { ...type, class: 'D' } } };
      },
      ...(without && { without }),
    });
    everybody = await pageSegment(`${trial.muster.sandboxUrl}/segmentation`, segment, 'SG');
  }

  async function send(path: string, query: Record<string, string>, shape: FileShape) {
    const requested = new URLSearchParams({ ...query, ...shape.query });
    const answer = await trial.muster.api.request(`${path}?${requested.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...shape.headers },
      body: new Uint8Array(shape.file),
    });
    const body: unknown = await answer.json();
    return { shape: shape.name, status: answer.status, body };
  }

  async function requireRefused(path: string, query: Record<string, string>, shapes: readonly FileShape[]) {
    for (const shape of shapes) {
      const { status } = await send(path, query, shape);
      expect([shape.name, [415, 422].includes(status)]).toEqual([shape.name, true]);
    }
  }

  const uploadAudience = (shape: FileShape) => send('/v1/audiences/upload', { name: shape.name, country: 'SG' }, shape);
  const replace = { actionType: action, mode: 'replace' };
  const uploads = '/v1/suppressions/uploads';

  /** One list for each readable shape, each with users of its own. */
  async function uploadLists(): Promise<{ list: string; users: readonly string[] }[]> {
    const lists = [];
    for (let index = 0; index < shapeCount; index++) {
      const own = everybody.slice(index * perFile, (index + 1) * perFile);
      const shape = shapeOf(index, usersAlone(own));
      const { status, body } = await uploadAudience(shape);
      expect([shape.name, status, body]).toMatchObject([shape.name, 201, { state: 'ready' }]);
      const { id, users: read, rejected } = uploadedAudience.parse(body);
      expect([shape.name, read, rejected]).toEqual([shape.name, perFile, shape.rejected ?? 0]);
      lists.push({ list: id, users: own });
    }
    return lists;
  }

  async function suppress(shape: FileShape, people: number): Promise<void> {
    const { status, body } = await send(uploads, replace, shape);
    expect([shape.name, status, body]).toMatchObject([shape.name, 201, { state: 'done' }]);
    const { people: read, rejected } = suppressionUpload.parse(body);
    expect([shape.name, read, rejected]).toEqual([shape.name, people, shape.rejected ?? 0]);
  }

  const served = async (runId: string) => [...(await trial.ledger()).of(runId, 1).applied.keys()].toSorted();
  const campaign = (name: string, called: string) => ({
    name,
    countries: ['SG'],
    chain: [{ action: called, params: {} }],
  });

  it('include and exclude exactly the users in the files, and lose no opt-out before or during a run', async () => {
    await begin();
    const lists = await uploadLists();
    const refused = (users: readonly string[]) => {
      const table = usersAlone(users);
      return [...unreadableShapes(table), shapeWithMissingUsers(table)];
    };
    await requireRefused('/v1/audiences/upload', { name: 'refused', country: 'SG' }, refused(everybody));
    const optOuts = everybody.filter((_, index) => index % 10 === 0);
    const table = usersAlone(optOuts);
    const replaceByAll = async () => {
      for (const shape of readableShapes(table)) await suppress(shape, optOuts.length);
      await requireRefused(uploads, replace, refused(optOuts));
    };
    await suppress({ name: 'plain', file: Buffer.from(['userId', ...optOuts].join('\n')) }, optOuts.length);
    await replaceByAll();

    const { api } = trial.muster;
    const runs: { runId: string; users: Set<string> }[] = [];
    for (let from = 0; from < lists.length; from += entriesOfAudience) {
      const some = lists.slice(from, from + entriesOfAudience);
      const entries = some.map(({ list }) => ({ list }));
      const listed = new Set(some.flatMap(({ users }) => users));
      const excluding = { include: [{ segment }], exclude: entries };
      runs.push(
        { runId: await api.run({ ...campaign('In', action), audience: { include: entries } }), users: listed },
        {
          runId: await api.run({ ...campaign('Out', action), audience: excluding }),
          users: new Set(everybody).difference(listed),
        },
      );
    }
    const last = runs.at(-1)?.runId ?? '';
    await trial.awaitCalls(last, 1, 1);
    await replaceByAll();
    expect((await api.report(last)).state).toBe('running');
    for (const { runId, users } of runs) {
      await trial.awaitEnd(runId);
      expect(await served(runId)).toEqual([...users.difference(new Set(optOuts))].toSorted());
      expect(await api.report(runId)).toMatchObject({ balanced: true });
    }
  });

  it('settle exactly the unknown users that they list', async () => {
    await begin();
    await trial.switchFaults({
      calls: [{ name: 'lost', services: ['messages'], every: 3, answer: { kind: 'reset' } }],
    });
    const { api } = trial.muster;
    const runId = await api.run({ ...campaign('Lost', unknownAction), segment });
    await trial.awaitEnd(runId);
    const unknown = (await api.failures(runId)).map(({ userId }) => userId);
    const more = ['step', 'outcome'];
    const tableOf = (users: readonly string[]): Table => ({
      more,
      rows: users.map((user) => ({ user, more: ['1', 'succeeded'] })),
    });
    const path = `/v1/runs/${runId}/settle`;
    await requireRefused(path, {}, unreadableShapes(tableOf(unknown)));
    expect(unknown.length).toBeGreaterThan(shapeCount * perFile);
    for (let index = 0; index < shapeCount; index++) {
      const shape = shapeOf(index, tableOf(unknown.slice(index * perFile, (index + 1) * perFile)));
      const { status, body } = await send(path, {}, shape);
      expect([shape.name, status]).toEqual([shape.name, 200]);
      const { state, settled, rejected } = settlement.parse(body);
      const right = { state: 'done', settled: { succeeded: perFile, failed: 0 }, rejected: shape.rejected ?? 0 };
      expect([shape.name, { state, settled, rejected }]).toEqual([shape.name, right]);
    }
    const left = (await api.failures(runId)).map(({ userId }) => userId);
    expect(left.toSorted()).toEqual(unknown.slice(shapeCount * perFile).toSorted());
    expect(await api.report(runId)).toMatchObject({ balanced: true, settled: shapeCount * perFile });
  });

  it('call wrong users and lose opt-outs if every line is taken for an id (control)', async () => {
    await begin(faultControls.columnsAreFound);
    const optOuts = everybody.slice(0, 100);
    const lines = (line: (user: string) => string) => Buffer.from(optOuts.map(line).join('\n'));
    await send(uploads, replace, { name: 'plain', file: lines((user) => user) });
    const withReasons = (reason: string) => ({ name: reason, file: lines((user) => `${user};${reason}`) });
    await send(uploads, replace, withReasons('asked by phone'));
    const { body } = await uploadAudience(withReasons('lapsed'));
    const { id: list } = uploadedAudience.parse(body);
    const { api } = trial.muster;
    const audience = { include: [{ segment }, { list }] };
    const runId = await api.run({ ...campaign('Strangers', action), audience });
    await trial.awaitEnd(runId);
    const called = new Set(await served(runId));
    expect(called.difference(new Set(everybody)).size).toBeGreaterThan(optOuts.length / 2);
    expect(called.intersection(new Set(optOuts)).size).toBe(optOuts.length);
  });
});
