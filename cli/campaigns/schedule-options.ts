import { UsageError } from '../frame/usage-error.ts';

export interface ScheduleOptions {
  at?: string | undefined;
  /** Local time in the zone of each country. */
  local?: string | undefined;
  /** Values such as `US=America/New_York`. */
  countryZone?: string[] | undefined;
  cron?: string | undefined;
  everySeconds?: number | undefined;
  zone?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  misfire?: string | undefined;
  catchUpSeconds?: number | undefined;
  overlap?: string | undefined;
}

/** Returns the `schedule` of a definition. The API validates the values. */
export function scheduleOf(options: ScheduleOptions): Record<string, unknown> {
  const { at, local, countryZone, cron, everySeconds, zone, from, until, misfire, catchUpSeconds, overlap } = options;
  const isRecurring = cron !== undefined || everySeconds !== undefined;
  const kinds = [at !== undefined, local !== undefined, isRecurring].filter(Boolean).length;
  if (kinds > 1) throw new UsageError('say one of --at, --local, and --cron or --every-seconds');
  if (at === undefined && !isRecurring && zone !== undefined) throw new UsageError('--zone goes with --at or --cron');
  if (local === undefined && countryZone) throw new UsageError('--country-zone goes with --local');
  const ofRecurring = given({ from, until, misfire, overlap });
  const within = given({ catchUpSeconds });
  if (kinds === 0 && catchUpSeconds !== undefined) throw new UsageError('--catch-up-seconds goes with a time');
  if (!isRecurring && Object.keys(ofRecurring).length > 0) {
    throw new UsageError('--from, --until, --misfire and --overlap go with --cron or --every-seconds');
  }
  if (at !== undefined) return { type: 'at', time: at, ...given({ zone }), ...within };
  if (local !== undefined)
    return { type: 'local', time: local, ...(countryZone ? { zones: zonesOf(countryZone) } : {}), ...within };
  return isRecurring
    ? { type: 'recurring', ...given({ cron, everySeconds, zone }), ...ofRecurring, ...within }
    : { type: 'now' };
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function zonesOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, country, zone] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (country === undefined || zone === undefined) {
        throw new UsageError(`--country-zone has to be such as US=America/New_York, not ${text}`);
      }
      return [country, zone];
    }),
  );
}

const optionOf: Record<string, string> = {
  time: '--at or --local',
  zones: '--country-zone',
  cron: '--cron',
  everySeconds: '--every-seconds',
  zone: '--zone',
  from: '--from',
  until: '--until',
  misfire: '--misfire',
  catchUpSeconds: '--catch-up-seconds',
  overlap: '--overlap',
};

export function scheduleLabel(pointer: string): string {
  const [, , field = '', ...below] = pointer.split('/');
  const option = optionOf[field];
  if (option === undefined) return '--at';
  return field === 'time' || below.length === 0 ? option.replace(' or --local', '') : `${option} ${below.join('/')}`;
}
