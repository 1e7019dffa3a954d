import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../services/api/frame/page.port.ts';
import {
  createQuarantinedMessages,
  type QuarantinedMessages,
} from '../../services/api/quarantine/postgres/message-store.ts';
import type { LetterReplays } from '../../services/trigger/ports/letter-replays.ts';
import { createLetterReplays } from '../../services/trigger/sweep/postgres/letter-replays.ts';
import { createDeadLetters } from '../../shared/postgres/registry/dead-letters.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import { databaseForFile } from '../support/file-database.ts';

const SG = 'muster.award-reward.SG';
const ID = 'muster.award-reward.ID';

const database = databaseForFile();

/** Decisions of people about messages, which the trigger carries out. */
describe('the store of quarantined messages', () => {
  let deadLetters: DeadLetters;
  let desk: QuarantinedMessages;
  let replays: LetterReplays;
  let offset: number;
  beforeEach(async () => {
    await database.empty();
    const { pool } = database;
    deadLetters = createDeadLetters({ pool });
    desk = createQuarantinedMessages({ pool });
    replays = createLetterReplays({ pool });
    offset = 0;
  });

  async function keep(topic: string, reason: string, value: Buffer | null = Buffer.from('no JSON')): Promise<string> {
    const lane = { topic, partition: 1, assignment: 1 };
    await deadLetters.add([{ message: { lane, offset: offset++, key: null, value }, reason }]);
    const { items } = await desk.list({}, 1, null);
    return items[0]?.messageId ?? '';
  }

  it('lists messages from newest to oldest, by page and filter', async () => {
    const first = await keep(SG, 'not JSON');
    const second = await keep(ID, 'not JSON');
    const third = await keep(SG, 'no such step');
    const page = await desk.list({}, 2, null);
    expect(page.items.map(({ messageId }) => messageId)).toEqual([third, second]);
    expect((await desk.list({}, 2, page.next)).items.map(({ messageId }) => messageId)).toEqual([first]);
    expect((await desk.list({ topic: SG }, 9, null)).items.map(({ messageId }) => messageId)).toEqual([third, first]);
    expect((await desk.list({ topic: SG, reason: 'not JSON' }, 9, null)).items).toMatchObject([
      { messageId: first, topic: SG, partition: 1, offset: 0, state: 'kept', replays: 0, bytes: 7, decidedAt: null },
    ]);
    expect((await desk.list({ state: 'discarded' }, 9, null)).items).toEqual([]);
    await expect(desk.list({}, 2, 'nonsense')).rejects.toThrow(InvalidCursorError);
  });

  it('counts messages by topic and reason, most frequent first', async () => {
    await keep(SG, 'not JSON');
    await keep(ID, 'not JSON');
    await keep(SG, 'not JSON');
    const groups = await desk.groups({});
    expect(groups.map(({ topic, reason, items }) => [topic, reason, items])).toEqual([
      [SG, 'not JSON', 2],
      [ID, 'not JSON', 1],
    ]);
    expect((groups[0]?.firstAt ?? 0) <= (groups[0]?.lastAt ?? 0)).toBe(true);
    expect(await desk.groups({ topic: 'muster.other' })).toEqual([]);
  });

  it('returns the bytes of a message up to the requested limit', async () => {
    const value = Buffer.from([0, 255, 1, 2]);
    const id = await keep(SG, 'garbage', value);
    expect(await desk.find(id, 100)).toMatchObject({ key: null, value, bytes: 4 });
    expect((await desk.find(id, 2))?.value).toEqual(value.subarray(0, 2));
    const empty = await keep(SG, 'empty', null);
    expect(await desk.find(empty, 100)).toMatchObject({ value: null, bytes: 0 });
    expect(await desk.find(uuidv7(), 100)).toBeUndefined();
  });

  it('offers messages for replay to the trigger, with their bytes, until they are published', async () => {
    const value = Buffer.from([0, 255]);
    const id = await keep(SG, 'garbage', value);
    await keep(SG, 'garbage');
    expect(await desk.decide(id, 'replaying')).toMatchObject({ state: 'replaying', decidedAt: null });
    expect(await replays.wanted(10)).toEqual([{ letterId: id, topic: SG, key: null, value }]);
    await replays.settle([id]);
    await replays.settle([]);
    expect(await replays.wanted(10)).toEqual([]);
    const replayed = await desk.find(id, 0);
    expect(replayed).toMatchObject({ state: 'replayed', replays: 1 });
    expect(replayed?.decidedAt).toBeInstanceOf(Date);
  });

  it('decides about a message once: a second decision returns the current state', async () => {
    const id = await keep(SG, 'garbage');
    expect(await desk.decide(id, 'discarded')).toMatchObject({ state: 'discarded' });
    expect(await desk.decide(id, 'discarded')).toMatchObject({ state: 'discarded' });
    expect(await desk.decide(id, 'replaying')).toMatchObject({ state: 'discarded' });
    expect(await replays.wanted(10)).toEqual([]);
    expect(await desk.decide(uuidv7(), 'discarded')).toBeUndefined();
  });

  it('decides about all kept messages of a topic or a reason', async () => {
    const decided = await keep(SG, 'not JSON');
    await desk.decide(decided, 'discarded');
    await keep(SG, 'not JSON');
    await keep(SG, 'no such step');
    await keep(ID, 'not JSON');
    expect(await desk.decideAll({ topic: SG, reason: 'not JSON' }, 'replaying')).toBe(1);
    expect(await desk.decideAll({ reason: 'not JSON' }, 'discarded')).toBe(1);
    expect(await desk.decideAll({}, 'replaying')).toBe(1);
    expect(await desk.decideAll({}, 'replaying')).toBe(0);
    expect((await replays.wanted(1)).length).toBe(1);
    expect((await replays.wanted(9)).length).toBe(2);
  });
});
