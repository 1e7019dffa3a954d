import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { mergeSources } from './merge-sources.ts';

async function* sourceOf<Value>(...values: Value[]): AsyncGenerator<Value, void> {
  for (const value of values) {
    await settled();
    yield value;
  }
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Returns a source that yields no value and ends only when `end` is called. */
function silent() {
  const ended = new AbortController();
  const source = (async function* (): AsyncGenerator<never, void> {
    await aborted(ended.signal);
    yield* [];
  })();
  return { source, end: () => ended.abort() };
}

function failing(): string[] {
  throw new Error('away');
}

describe('merged sources', () => {
  it('yield values as they arrive until all sources have ended', async () => {
    const received: string[] = [];
    const beside = silent();
    for await (const each of mergeSources([sourceOf('a', 'b'), sourceOf('1')], beside.source)) received.push(each);
    expect(received.toSorted()).toEqual(['1', 'a', 'b']);
    beside.end();
  });

  it('continue while a source is silent, and yield the values of the other sources', async () => {
    const waiting = silent();
    const merged = mergeSources<string>([waiting.source], sourceOf('here'));
    expect(await merged.next()).toEqual({ done: false, value: 'here' });
    const last = merged.next();
    await settled();
    waiting.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('fail as soon as one source fails', async () => {
    const broken = (async function* (): AsyncGenerator<string, void> {
      await settled();
      yield* failing();
    })();
    await expect(mergeSources([silent().source, broken], silent().source).next()).rejects.toThrow('away');
  });

  it('do not buffer values while another source is silent', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') expect.fail('no garbage collection to be had');
    const seen: WeakRef<object>[] = [];
    const texts = (async function* () {
      for (let count = 0; count < 100; count++) {
        await settled();
        const one = { text: `progress ${count}` };
        seen.push(new WeakRef(one));
        yield one;
      }
    })();
    const merged = mergeSources<object>([silent().source, texts], silent().source);
    for (let count = 0; count < 100; count++) await merged.next();

    await settled();
    Reflect.apply(collect, undefined, []);

    expect(seen.filter((each) => each.deref() !== undefined).length).toBeLessThanOrEqual(1);
  });
});
