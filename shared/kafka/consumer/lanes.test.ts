import { describe, expect, it } from 'vitest';
import type { Lane, LaneMessage } from '../../ports/message-bus.ts';
import { createLanes, type Lanes } from './lanes.ts';

const marks = { highMark: 4, lowMark: 2 };

function fetched(...offsets: number[]) {
  return offsets.map((offset) => ({ offset: String(offset), key: null, value: Buffer.from(`v${offset}`) }));
}

function assigned(partitions: readonly number[] = [0]): Lanes {
  const lanes = createLanes(marks);
  lanes.assign({ t: partitions });
  return lanes;
}

function take(lanes: Lanes, ...offsets: number[]): LaneMessage[] {
  return lanes.take('t', 0, fetched(...offsets))?.delivery?.messages ?? [];
}

function settleAll(lanes: Lanes, messages: readonly LaneMessage[]): (Lane | undefined)[] {
  return messages.map((message) => lanes.settle(message));
}

describe('the lanes of a consumer, one for each assigned partition', () => {
  it('deliver messages with their lane and offset', () => {
    const [message] = take(assigned(), 5);
    expect(message).toMatchObject({ lane: { topic: 't', partition: 0, assignment: 1 }, offset: 5 });
  });

  it('are full at the high mark of unsettled messages', () => {
    const lanes = assigned();
    expect(lanes.take('t', 0, fetched(0, 1, 2))?.full).toBe(false);
    expect(lanes.take('t', 0, fetched(3))?.full).toBe(true);
  });

  it('ask for more messages below the low mark, and only once', () => {
    const lanes = assigned();
    const messages = take(lanes, 0, 1, 2, 3);
    const wanted = settleAll(lanes, messages).filter((lane) => lane !== undefined);
    expect(wanted.map((lane) => lanes.wantsMore(lane))).toEqual([true, false]);
  });

  it('can commit up to the first unsettled message', () => {
    const lanes = assigned();
    const [zero, , two] = take(lanes, 0, 1, 2);
    settleAll(
      lanes,
      [zero, two].filter((message) => message !== undefined),
    );
    expect(lanes.uncommitted()).toMatchObject([{ lane: { partition: 0 }, offset: 1 }]);
  });

  it('have nothing to commit while no message is settled, or after the commit', () => {
    const lanes = assigned();
    const messages = take(lanes, 7, 8);
    expect(lanes.uncommitted()).toEqual([]);
    settleAll(lanes, messages);
    const positions = lanes.uncommitted();
    expect(positions).toMatchObject([{ offset: 9 }]);
    lanes.committed(positions);
    expect(lanes.uncommitted()).toEqual([]);
  });

  it('end with the next assignment, which has a higher number', () => {
    const lanes = assigned([0, 1]);
    const revoked = lanes.assign({ t: [0] });
    expect(revoked.map(({ partition, assignment }) => [partition, assignment])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(lanes.take('t', 0, fetched(0))?.delivery?.lane.assignment).toBe(2);
  });

  it("ignore messages that are settled after the lane's end", () => {
    const lanes = assigned();
    const messages = take(lanes, 0, 1);
    lanes.assign({ t: [0] });
    take(lanes, 0, 1);
    settleAll(lanes, messages);
    expect(lanes.uncommitted()).toEqual([]);
  });

  it('reject messages of a partition that is not assigned', () => {
    expect(assigned().take('t', 9, fetched(0))).toBeUndefined();
  });

  it('reject messages of a late fetch that skips unsettled messages of the previous lane', () => {
    const lanes = assigned();
    take(lanes, 0, 1);
    lanes.assign({ t: [0] });
    expect(lanes.take('t', 0, fetched(2, 3))).toBeUndefined();
    expect(take(lanes, 0, 1, 2, 3)).toHaveLength(4);
  });

  it('accept a gap of offsets at the second fetch, because another consumer settled the messages in it', () => {
    const lanes = assigned();
    take(lanes, 0, 1);
    lanes.assign({});
    lanes.assign({ t: [0] });
    expect(lanes.take('t', 0, fetched(5))).toBeUndefined();
    expect(take(lanes, 5)).toHaveLength(1);
  });

  it('deliver messages up to the high mark and buffer the rest until there is room', () => {
    const lanes = assigned();
    const messages = take(lanes, 0, 1, 2, 3, 4, 5, 6);
    expect([messages.map(({ offset }) => offset), lanes.heldBytes, lanes.open]).toEqual([[0, 1, 2, 3], 6, 7]);
    const [lane] = settleAll(lanes, messages.slice(0, 3)).filter((wanting) => wanting !== undefined);
    expect(lane && lanes.give(lane)?.messages.map(({ offset }) => offset)).toEqual([4, 5, 6]);
    expect([lanes.heldBytes, lanes.open]).toEqual([0, 4]);
  });

  it('request no fetch while they have buffered messages', () => {
    const lanes = assigned();
    const messages = take(lanes, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    const [lane] = settleAll(lanes, messages).filter((wanting) => wanting !== undefined);
    if (!lane) throw new Error('the lane wants nothing');
    expect(lanes.wantsMore(lane)).toBe(false);
    const given = [...(lanes.give(lane)?.messages ?? [])];
    settleAll(lanes, given);
    given.push(...(lanes.give(lane)?.messages ?? []));
    expect([given.map(({ offset }) => offset), lanes.wantsMore(lane)]).toEqual([[4, 5, 6, 7, 8, 9], false]);
    settleAll(lanes, given);
    expect(lanes.wantsMore(lane)).toBe(true);
  });

  it('cannot commit buffered messages', () => {
    const lanes = assigned();
    settleAll(lanes, take(lanes, 0, 1, 2, 3, 4, 5));
    expect(lanes.uncommitted()).toMatchObject([{ offset: 4 }]);
  });

  it('start again if their topic was deleted and created again', () => {
    const lanes = assigned();
    settleAll(lanes, take(lanes, 7, 8));
    const again = lanes.take('t', 0, fetched(0, 1));
    expect([again?.ended?.assignment, again?.delivery?.lane.assignment]).toEqual([1, 2]);
    settleAll(lanes, again?.delivery?.messages ?? []);
    expect(lanes.uncommitted()).toMatchObject([{ lane: { assignment: 2 }, offset: 2 }]);
  });

  it('accept the first message of a topic that was created again, although the previous lane was further', () => {
    const lanes = assigned();
    take(lanes, 7, 8);
    lanes.assign({ t: [0] });
    expect(take(lanes, 0, 1)).toHaveLength(2);
  });

  it('have no unsettled messages after their end', () => {
    const lanes = assigned();
    take(lanes, 0, 1, 2, 3, 4, 5, 6);
    lanes.assign({});
    expect([lanes.open, lanes.heldBytes]).toEqual([0, 0]);
  });
});
