import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryChangeFeed, type MemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { createMemoryRegistrySource, seedMemoryRegistry } from '../../../test/support/memory/registry.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { actionTypeConfig } from '../../contracts/endpoints/action-type-config.ts';
import type { RegistrySource } from '../../ports/registry.ts';
import { createRegistryReader, type RegistryReader } from './registry-reader.ts';

const config = actionTypeConfig.parse({ url: 'http://rewards.test', class: 'A' });

describe('a registry reader', () => {
  const clock = createSettableClock();
  let requested: string[];
  let source: RegistrySource;
  let changes: MemoryChangeFeed;
  let reader: RegistryReader;
  let register: (name: string) => void;
  beforeEach(() => {
    const database = createMemoryDatabase(clock);
    const inner = createMemoryRegistrySource({ database });
    requested = [];
    source = {
      revision: () => {
        requested.push('revision');
        return inner.revision();
      },
      read: () => {
        requested.push('read');
        return inner.read();
      },
    };
    changes = createMemoryChangeFeed();
    reader = createRegistryReader({ registry: source, changes, clock, logger: pino({ level: 'silent' }) });
    register = (name) => seedMemoryRegistry(database, { actionTypes: { [name]: config }, partitionsPerShard: 1 });
  });

  it('follows a notified change at once and calls its listeners once', async () => {
    const seen: number[] = [];
    reader.onChange(({ actionTypes }) => seen.push(actionTypes.length));
    reader.start();
    await passTime(clock, 3000);
    register('award-reward');
    changes.announce('registry');
    await passTime(clock, 1);
    expect(seen).toEqual([0, 1]);
    await passTime(clock, 10_000);
    expect(seen).toEqual([0, 1]);
    await reader.stop();
  });

  it('follows a change within five seconds if the notice is lost', async () => {
    reader.start();
    await passTime(clock, 6000);
    register('award-reward');
    await passTime(clock, 5100);
    expect(reader.current()?.actionTypes).toHaveLength(1);
    await reader.stop();
  });

  it('reads at most once a second for a series of notifications, and includes the last change', async () => {
    reader.start();
    await passTime(clock, 3000);
    requested = [];
    for (let change = 0; change < 20; change++) {
      register(`award-${change}`);
      changes.announce('registry');
      await passTime(clock, 50);
    }
    await passTime(clock, 1000);
    expect(requested.filter((question) => question === 'read')).toHaveLength(2);
    expect(reader.current()?.actionTypes).toHaveLength(20);
    await reader.stop();
  });

  it('follows a change within about a second while the change feed is lost', async () => {
    const seen: number[] = [];
    reader.start();
    await passTime(clock, 3000);
    changes.lose();
    reader.onChange(({ actionTypes }) => seen.push(actionTypes.length));
    await passTime(clock, 3000);
    register('award-reward');
    await passTime(clock, 1100);
    expect(seen).toEqual([1]);
    await passTime(clock, 3000);
    expect(seen).toEqual([1]);
    await reader.stop();
  });

  it('queries only the revision while nothing changes', async () => {
    reader.start();
    await passTime(clock, 20_500);
    await reader.stop();
    expect(requested.filter((question) => question === 'read')).toHaveLength(1);
    expect(requested.filter((question) => question === 'revision').length).toBeLessThanOrEqual(5);
  });

  it('returns from refresh a state that includes earlier changes, even while another read runs', async () => {
    await reader.refresh();
    const underWay = reader.refresh();
    register('award-reward');
    expect((await reader.refresh()).actionTypes).toHaveLength(1);
    await underWay;
  });

  it('keeps its last state while the store does not answer, and recovers by itself', async () => {
    register('award-reward');
    await reader.refresh();
    const answering = source.revision.bind(source);
    source.revision = () => Promise.reject(new Error('scripted failure'));
    reader.start();
    await expect(reader.refresh()).rejects.toThrow('scripted failure');
    expect(reader.current()?.actionTypes).toHaveLength(1);
    source.revision = answering;
    register('award-points');
    await passTime(clock, 2100);
    expect(reader.current()?.actionTypes).toHaveLength(2);
    await reader.stop();
  });
});
