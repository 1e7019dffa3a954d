import { describe, expect, it } from 'vitest';
import { zoneSpans, type ZoneSpan } from '../recurrence/zone-spans.ts';
import { quietAt, type QuietRule } from './quiet-hours.ts';

const shard = { actionType: 'send-message', country: 'SG' };
const night: QuietRule = { actionType: 'send-message', from: '21:00', until: '08:00', then: 'wait' };

const minuteMs = 60_000;

function* zoneSpansUntil(zone: string, fromMs: number, untilMs: number): Generator<ZoneSpan> {
  for (const span of zoneSpans(zone, fromMs)) {
    if (span.startMs >= untilMs) return;
    yield span;
  }
}

/** Returns the clock time at an instant, in minutes of the day. */
function displayedAt(spans: readonly ZoneSpan[], atMs: number): number {
  const offsetMs = spans.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)?.offsetMs ?? 0;
  return ((Math.floor((atMs + offsetMs) / minuteMs) % 1440) + 1440) % 1440;
}

/** Returns a rule that begins at the clock time of this instant and lasts this long on the clock. */
function ruleAround(atMs: number, lastMinutes: number, zone: string, spans: readonly ZoneSpan[]): QuietRule {
  const textOf = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const from = displayedAt(spans, atMs);
  return { ...night, zone, from: textOf(from), until: textOf((from + lastMinutes) % 1440) };
}

/** Checks minute by minute. Returns null if the first minute is not quiet. */
function firstLoudMinute({ from, until }: QuietRule, spans: readonly ZoneSpan[], atMs: number): number | null {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const [first, end] = [minutesOf(from), minutesOf(until)];
  const isQuiet = (ms: number) => {
    const displayed = displayedAt(spans, ms);
    return first < end ? displayed >= first && displayed < end : displayed >= first || displayed < end;
  };
  let ms = atMs;
  while (isQuiet(ms)) ms += minuteMs;
  return ms === atMs ? null : ms;
}

/** Returns the end of the quiet hours that apply at this time, or null. */
function endAt(time: string, rule: Partial<QuietRule> = {}, country = 'SG'): string | null {
  const quiet = quietAt([{ ...night, ...rule }], { ...shard, country }, Date.parse(time));
  return quiet && new Date(quiet.untilMs).toISOString().slice(0, 16);
}

describe('quiet hours', () => {
  it('follow the clocks of the country, past midnight too', () => {
    expect(endAt('2026-11-24T20:59:59+08:00')).toBeNull();
    expect(endAt('2026-11-24T21:00:00+08:00')).toBe('2026-11-25T00:00');
    expect(endAt('2026-11-25T07:59:59+08:00')).toBe('2026-11-25T00:00');
    expect(endAt('2026-11-25T08:00:00+08:00')).toBeNull();
  });

  it('can be within one day', () => {
    const noon = { from: '12:00', until: '13:30' };
    expect(endAt('2026-11-24T11:59:00+08:00', noon)).toBeNull();
    expect(endAt('2026-11-24T12:00:00+08:00', noon)).toBe('2026-11-24T05:30');
    expect(endAt('2026-11-24T13:30:00+08:00', noon)).toBeNull();
  });

  it('apply to only their action type and countries, or to all', () => {
    const at = Date.parse('2026-11-24T22:00:00+08:00');
    const isQuiet = (rule: Partial<QuietRule>) => quietAt([{ ...night, ...rule }], shard, at) !== null;
    expect(isQuiet({ countries: ['SG', 'ID'] })).toBe(true);
    expect(isQuiet({ countries: ['ID'] })).toBe(false);
    expect(isQuiet({ actionType: 'award-reward' })).toBe(false);
    expect(isQuiet({ actionType: '*' })).toBe(true);
  });

  it('are those of the first rule in force', () => {
    const rules = [
      { ...night, from: '23:00' },
      { ...night, then: 'drop' as const },
    ];
    expect(quietAt(rules, shard, Date.parse('2026-11-24T22:00:00+08:00'))?.then).toBe('drop');
    expect(quietAt(rules, shard, Date.parse('2026-11-24T23:00:00+08:00'))?.then).toBe('wait');
  });

  it('in a country with several zones apply while any zone is quiet, unless the rule names a zone', () => {
    // Jayapura is two hours ahead of Jakarta.
    expect(endAt('2026-11-24T19:30:00+07:00', {}, 'ID')).toBe('2026-11-25T01:00');
    expect(endAt('2026-11-24T19:30:00+07:00', { zone: 'Asia/Jakarta' }, 'ID')).toBeNull();
  });

  it('are examined again after two days if they never end over all zones of a country', () => {
    const allButAnHour = { from: '00:00', until: '23:00' };
    expect(endAt('2026-11-24T12:00:00Z', allButAnHour, 'ID')).toBe('2026-11-26T14:00');
  });

  it('end in a DST gap at the moment when their end is skipped', () => {
    const early = { zone: 'Europe/Berlin', until: '02:30' };
    expect(endAt('2026-03-29T01:30:00+01:00', early)).toBe('2026-03-29T01:00');
    expect(endAt('2026-03-29T03:00:00+02:00', early)).toBeNull();
  });

  it('apply twice in a DST overlap', () => {
    const early = { zone: 'Europe/Berlin', until: '02:30' };
    expect(endAt('2026-10-25T02:15:00+02:00', early)).toBe('2026-10-25T00:30');
    expect(endAt('2026-10-25T02:45:00+02:00', early)).toBeNull();
    expect(endAt('2026-10-25T02:15:00+01:00', early)).toBe('2026-10-25T01:30');
    expect(endAt('2026-10-25T02:30:00+01:00', early)).toBeNull();
  });

  it('end if the clocks go back to a time before their beginning, and begin again later', () => {
    const azores = { zone: 'Atlantic/Azores', from: '00:25', until: '11:25' };
    expect(endAt('2028-10-29T00:26:00Z', azores)).toBe('2028-10-29T01:00');
    expect(endAt('2028-10-29T01:24:00Z', azores)).toBeNull();
    expect(endAt('2028-10-29T01:25:00Z', azores)).toBe('2028-10-29T12:25');
  });

  it('end in every zone at the first minute that is not quiet, around every clock change', () => {
    const problems: string[] = [];
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const spans = [...zoneSpansUntil(zone, Date.parse('2026-01-01T00:00Z'), Date.parse('2029-01-01T00:00Z'))];
      for (const change of spans.slice(1).map(({ startMs }) => startMs)) {
        for (const [fromMinutes, lastMinutes] of [
          [-35, 660],
          [-35, 50],
          [-90, 90],
          [20, 1430],
        ] as const) {
          const rule = ruleAround(change + fromMinutes * minuteMs, lastMinutes, zone, spans);
          for (const atMinutes of [-91, -34, 0, 26]) {
            const atMs = change + atMinutes * minuteMs;
            const found = quietAt([rule], shard, atMs)?.untilMs ?? null;
            const expected = firstLoudMinute(rule, spans, atMs);
            if (found !== expected) problems.push(`${zone} ${rule.from}-${rule.until} ${new Date(atMs).toISOString()}`);
          }
        }
      }
    }
    expect(problems).toEqual([]);
  });

  it('are still found at a later check if several rules adjoin', () => {
    const always = [
      { ...night, from: '00:00', until: '12:00' },
      { ...night, from: '12:00', until: '00:00' },
    ];
    expect(quietAt(always, shard, Date.parse('2026-11-24T22:00:00Z'))).not.toBeNull();
  });
});
