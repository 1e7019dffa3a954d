import { beforeEach, describe, expect, it } from 'vitest';
import type { RouteLine } from './route-line.ts';
import { createRouteLines, type RouteCallEnd, type RouteLines } from './route-lines.ts';

const answered: RouteCallEnd = { end: 'answered', pressure: null, retryAfterMs: null };
const failed: RouteCallEnd = { end: 'unanswered', pressure: null, retryAfterMs: null };
const timedOut = { end: 'unanswered', pressure: 'timed-out', retryAfterMs: null } satisfies RouteCallEnd;
const throttled = { end: 'unanswered', pressure: 'throttled', retryAfterMs: 5000 } satisfies RouteCallEnd;

describe('the routes of a client endpoint with 16 call slots', () => {
  const slots = 16;
  let lines: RouteLines;
  let nowMs: number;
  beforeEach(() => {
    nowMs = 100_000;
    lines = createRouteLines({ monotonicMs: () => nowMs, random: () => 0.5 });
  });
  const lineOf = (route: string) => lines.of(route, slots);
  const allowed = (line: RouteLine) => lines.allowed(line, slots);
  const backInMs = (line: RouteLine) => lines.backInMs(line, slots, 100);
  /** True if no call of the line may begin for a long time although the line has a claimed job. */
  const isBlocked = (line: RouteLine) => {
    line.waiting++;
    const blocked = lines.blocked(slots);
    line.waiting--;
    return blocked.has(line);
  };
  function call(line: RouteLine, tookMs: number, end: RouteCallEnd = answered): void {
    lines.begin(line);
    nowMs += tookMs;
    lines.end(line, nowMs - tookMs, end);
  }
  const hang = (line: RouteLine, calls: number) => {
    for (let begun = 0; begun < calls; begun++) lines.begin(line);
  };

  it('leave a single route all slots after an answer, and half of the slots before an answer or while calls hang', () => {
    const only = lineOf('h/a');
    expect(allowed(only)).toBe(8);
    call(only, 100);
    expect(allowed(only)).toBe(16);
    for (let calls = 0; calls < 20; calls++) call(only, 100, failed);
    expect(allowed(only)).toBe(16);
    call(only, 4000, failed);
    expect(allowed(only)).toBe(8);
  });

  it.each([
    ['an hour ago after 100 ms', 100, 3_600_000],
    ['an hour ago by a time-out', 4000, 3_600_000],
    ['just now after 100 ms and a long pause', 100, 0],
  ])('let the only route of an endpoint use all slots although its last call failed %s', (_how, tookMs, idleMs) => {
    const only = lineOf('h/a');
    call(only, 100);
    nowMs += 60_000;
    call(only, tookMs, failed);
    nowMs += idleMs;
    hang(only, 15);
    nowMs += 499;
    expect([allowed(only), isBlocked(only)]).toEqual([16, false]);
  });

  it('make released jobs due soon after the first answer that follows time-outs', () => {
    const [bad, good] = [lineOf('h/a'), lineOf('h/b')];
    call(good, 100);
    lines.begin(bad);
    nowMs += 4000;
    for (let releases = 0; releases < 100; releases++) backInMs(bad);
    lines.end(bad, nowMs - 4000, failed);
    call(bad, 100);
    expect(backInMs(bad)).toBeLessThan(1000);
  });

  it('leave some slots to other routes for ten seconds after the last call of those routes', () => {
    const [busy, other] = [lineOf('h/a'), lineOf('h/b')];
    call(other, 100);
    for (let calls = 0; calls < 10; calls++) call(busy, 100);
    expect(allowed(busy)).toBe(14);
    nowMs += 9000;
    call(busy, 100);
    expect(allowed(busy)).toBe(16);
  });

  it('leave half of the slots to other routes if calls of a route hang', () => {
    const [hangs, other] = [lineOf('h/a'), lineOf('h/b')];
    for (let calls = 0; calls < 10; calls++) call(hangs, 100);
    call(other, 40);
    hang(hangs, 8);
    expect(allowed(hangs)).toBe(14);
    nowMs += 50;
    expect(allowed(hangs)).toBe(8);
    expect(isBlocked(hangs)).toBe(false);
    nowMs += 500;
    expect(isBlocked(hangs)).toBe(true);
  });

  it('block a new route a second after its calls begin to hang, even if it is the only route', () => {
    const only = lineOf('h/a');
    hang(only, 8);
    nowMs += 999;
    expect(isBlocked(only)).toBe(false);
    nowMs += 1;
    expect(isBlocked(only)).toBe(true);
  });

  it('leave half of the slots to other routes if calls of one route take much longer than theirs', () => {
    const [slow, other] = [lineOf('h/a'), lineOf('h/b')];
    call(slow, 3000);
    call(other, 100);
    for (let calls = 0; calls < 10; calls++) call(slow, 100 * calls + 600);
    call(other, 100);
    expect(allowed(slow)).toBe(8);
    hang(slow, 8);
    expect(isBlocked(slow)).toBe(true);
  });

  it('do not slow down a route that fails quickly, because circuits and attempts limit its jobs', () => {
    const [bad, good] = [lineOf('h/a'), lineOf('h/b')];
    call(good, 100);
    for (let calls = 0; calls < 100; calls++) call(bad, 5, failed);
    expect([allowed(bad), isBlocked(bad), allowed(good)]).toEqual([8, false, 8]);
  });

  it('slow down a route whose calls time out while other routes are answered', () => {
    const [bad, good] = [lineOf('h/a'), lineOf('h/b')];
    call(good, 100);
    for (let calls = 0; calls < 10; calls++) call(bad, 300, timedOut);
    expect([allowed(bad), isBlocked(bad), allowed(good)]).toEqual([0, true, 8]);
    nowMs += 5000;
    expect(allowed(bad)).toBe(1);
    call(bad, 100);
    expect(allowed(bad)).toBe(2);
  });

  it('pause only the route whose receiver sends Retry-After', () => {
    const [bad, good] = [lineOf('h/a'), lineOf('h/b')];
    call(good, 100);
    call(bad, 5, throttled);
    expect([allowed(bad), allowed(good) > 0]).toEqual([0, true]);
    expect(backInMs(bad)).toBeGreaterThanOrEqual(5000);
  });

  it('make jobs of a single route due again as if the route had all slots', () => {
    const only = lineOf('h/a');
    hang(only, 8);
    nowMs += 1600;
    expect([backInMs(only), backInMs(only)]).toEqual([600, 700]);
  });

  it('make released jobs due again at the pace of their calls for 30 s, then at the maximum rate', () => {
    const [slow, other] = [lineOf('h/a'), lineOf('h/b')];
    call(other, 100);
    call(slow, 4000);
    call(other, 100);
    const delays = Array.from({ length: 59 }, () => backInMs(slow));
    expect(delays.slice(0, 3)).toEqual([1000, 1500, 2000]);
    expect(delays.at(-1)).toBe(30_000);
    expect([backInMs(slow), backInMs(slow)]).toEqual([30_010, 30_020]);
  });

  it('make a released job due again within two minutes, for any maximum rate', () => {
    const [slow, other] = [lineOf('h/a'), lineOf('h/b')];
    call(other, 100);
    hang(slow, 8);
    nowMs += 2000;
    const areFull: boolean[] = [];
    const delays = Array.from({ length: 300 }, () => {
      areFull.push(lines.isReturnFull(slow, 0.25));
      return lines.backInMs(slow, slots, 0.25);
    });
    expect(Math.max(...delays)).toBe(120_000);
    expect(delays.filter((_delayMs, nth) => !areFull[nth]).length).toBeLessThanOrEqual(1 + 120 * 0.25);
  });

  /** Begins as many calls of these routes as are allowed. The route with the fewest calls always comes next. */
  function beginAll(...routes: RouteLine[]): number[] {
    for (;;) {
      const next = routes.filter((line) => line.inFlight < allowed(line)).sort((a, b) => a.inFlight - b.inFlight)[0];
      if (!next) return routes.map(({ inFlight }) => inFlight);
      lines.begin(next);
    }
  }

  it('leave half of the slots to other routes if three routes hang that were answered before', () => {
    const hanging = [lineOf('h/a'), lineOf('h/b'), lineOf('h/c')] as const;
    const good = lineOf('h/good');
    for (const line of [...hanging, good]) call(line, 100);
    nowMs += 200;
    const begun = beginAll(...hanging);
    expect(begun.reduce((sum, calls) => sum + calls, 0)).toBeLessThanOrEqual(8 + 2);
    nowMs += 600;
    expect(allowed(good)).toBe(8);
    expect(hanging.map(isBlocked)).toEqual([true, true, true]);
  });

  it('leave half of the slots to an answered route without calls, although a new route hangs', () => {
    const [idle, hangs] = [lineOf('h/a'), lineOf('h/b')];
    call(idle, 100);
    hang(hangs, 8);
    nowMs += 1000;
    expect(allowed(idle)).toBe(8);
  });

  it('leave some slots to an answered route if 30 routes were never answered', () => {
    const good = lineOf('h/good');
    call(good, 100);
    const hanging = Array.from({ length: 30 }, (_, index) => lineOf(`h/${index}`));
    const begun = beginAll(...hanging);
    expect(begun.filter((calls) => calls > 0)).toEqual(Array(10).fill(1));
    expect(allowed(good)).toBeGreaterThanOrEqual(6);
    nowMs += 1000;
    const [, , , , , , , , , , waiting] = hanging;
    expect([waiting && isBlocked(waiting), isBlocked(good)]).toEqual([true, false]);
    if (waiting) waiting.waiting = 3;
    expect(lines.heldUp(slots)).toBe(3);
  });

  it('allow the first call of a new route while a hanging route has half of the slots', () => {
    const [hangs, fresh] = [lineOf('h/a'), lineOf('h/b')];
    call(hangs, 4000, timedOut);
    hang(hangs, 8);
    expect(allowed(fresh)).toBe(1);
  });

  it('leave half of the slots to others if 30 routes have timed out', () => {
    const hanging = Array.from({ length: 30 }, (_, index) => lineOf(`h/${index}`));
    for (const line of hanging) call(line, 4000, timedOut);
    expect(beginAll(...hanging).filter((calls) => calls > 0)).toEqual(Array(8).fill(1));
  });

  it('use all their slots again when hanging calls are answered', () => {
    const [one, other] = [lineOf('h/a'), lineOf('h/b')];
    hang(one, 8);
    nowMs += 2000;
    expect(allowed(other)).toBe(1);
    for (let calls = 0; calls < 8; calls++) lines.end(one, nowMs - 2000, answered);
    expect([allowed(one), allowed(other)]).toEqual([16, 8]);
  });

  it('attribute time-outs to the route if another route was answered shortly before the calls began', () => {
    const [bad, good] = [lineOf('h/a'), lineOf('h/b')];
    call(good, 100);
    hang(bad, 8);
    nowMs += 10_500;
    for (let calls = 0; calls < 8; calls++) lines.end(bad, nowMs - 10_500, timedOut);
    expect(bad.guard.isTroubled).toBe(true);
  });

  it('drop the route whose last call was longest ago to make room', () => {
    const routes = Array.from({ length: 64 }, (_, index) => `h/${index}`);
    const first = routes.map(lineOf)[0];
    lineOf('h/0');
    lineOf('h/more');
    expect(lineOf('h/0')).toBe(first);
  });

  it('number at most 65, and routes with calls in flight are kept', () => {
    const first = lineOf('h/0');
    lines.begin(first);
    const all = new Set(Array.from({ length: 1000 }, (_, index) => lineOf(`h/${index}`)));
    expect(lineOf('h/0')).toBe(first);
    expect(all.has(first)).toBe(true);
    const busy = createRouteLines({ monotonicMs: () => nowMs, random: () => 0.5 });
    const shared = Array.from({ length: 100 }, (_, index) => {
      const line = busy.of(`h/${index}`, slots);
      busy.begin(line);
      return line;
    });
    expect(new Set(shared).size).toBe(65);
  });
});

describe('the routes of a client endpoint with few call slots', () => {
  it.each([
    [1, 1, 1],
    [2, 2, 1],
    [3, 2, 1],
    [6, 5, 3],
    [40, 35, 20],
  ])('share %d slots: %d for an answered route and %d for an unanswered one', (slots, flowing, unanswered) => {
    let nowMs = 100_000;
    const lines = createRouteLines({ monotonicMs: () => nowMs, random: () => 0.5 });
    const [one, other] = [lines.of('h/a', slots), lines.of('h/b', slots)];
    lines.begin(other);
    lines.end(other, nowMs, answered);
    expect(lines.allowed(one, slots)).toBe(unanswered);
    for (let calls = 0; calls < slots; calls++) {
      lines.begin(one);
      nowMs += 100;
      lines.end(one, nowMs - 100, answered);
    }
    expect(lines.allowed(one, slots)).toBe(flowing);
  });
});
