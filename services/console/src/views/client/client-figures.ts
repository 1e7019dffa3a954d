import type { Client, ClientForecast, ClientLedger } from '#client/types.gen.ts';
import type { Kpi } from '../../parts/panels/kpis.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';

type Minute = ClientForecast['minutes'][number];

const minuteMs = 60_000;

/** What is due and not called, and since when; null where nothing is. */
export function backlogOf(
  { minutes }: Pick<ClientForecast, 'minutes'>,
  nowMs: number,
): { jobs: number; sinceMs: number } | null {
  // Of the minute that goes on, some are still to come.
  const due = minutes.filter(({ minute }) => Date.parse(minute) + minuteMs <= nowMs);
  const [oldest] = due;
  if (!oldest) return null;
  return { jobs: due.reduce((sum, { calls }) => sum + calls, 0), sinceMs: Date.parse(oldest.minute) };
}

export interface ClientKpi extends Omit<Kpi, 'note'> {
  note: string;
  /** Where the dead ones are. */
  link?: boolean;
}

export function clientKpis(
  client: Client,
  ledger: ClientLedger,
  forecast: ClientForecast | undefined,
  nowMs: number,
): ClientKpi[] {
  const backlog = forecast && backlogOf(forecast, nowMs);
  const about = forecast?.estimated === true ? 'about, ' : '';
  const stored = ledger.pending + ledger.sidelined;
  return [
    {
      name: 'Backlog',
      value: backlog === undefined ? '…' : formatCount(backlog?.jobs ?? 0),
      unit: 'jobs',
      note: backlog ? `${about}due for ${formatDuration(nowMs - backlog.sinceMs)}` : 'due and not called',
    },
    {
      name: 'Sidelined',
      value: formatCount(ledger.sidelined),
      unit: 'jobs',
      note: 'wait until their host answers again',
    },
    {
      name: 'Peak to come',
      value: forecast?.peak ? formatRate(forecast.peak.callsPerSecond) : '–',
      unit: 'calls/s',
      note:
        client.publishRatePerSecond === undefined
          ? 'without a limit'
          : `of ${formatCount(client.publishRatePerSecond)} allowed`,
    },
    {
      name: 'Stored',
      value: formatCount(stored),
      note: `of ${formatCount(client.maxStoredJobs)} jobs, at most`,
    },
    {
      name: 'Dead',
      value: formatCount(ledger.dead),
      note: `of ${formatCount(ledger.accepted)}`,
      link: ledger.dead > 0,
    },
  ];
}

export interface HourLoad {
  /** Its beginning. */
  hour: string;
  /** Of its busiest minute. */
  callsPerSecond: number;
  /** Jobs of that minute. */
  calls: number;
  isFull: boolean;
}

/** The busiest minute of each hour, the hours without any too. @param fromMs the hour that goes on */
export function busiestMinutes({ minutes, hours }: ClientForecast, fromMs: number): HourLoad[] {
  const first = fromMs - (fromMs % (60 * minuteMs));
  return Array.from({ length: Math.ceil(hours) }, (_, index) => {
    const begins = first + index * 60 * minuteMs;
    const inHour = minutes.filter(({ minute }) => {
      const at = Date.parse(minute);
      return at >= Math.max(begins, fromMs - minuteMs) && at < begins + 60 * minuteMs;
    });
    const busiest = inHour.reduce<Minute | null>(
      (most, each) => (most && most.calls >= each.calls ? most : each),
      null,
    );
    return {
      hour: new Date(begins).toISOString(),
      callsPerSecond: busiest?.callsPerSecond ?? 0,
      calls: busiest?.calls ?? 0,
      isFull: busiest?.full ?? false,
    };
  });
}
