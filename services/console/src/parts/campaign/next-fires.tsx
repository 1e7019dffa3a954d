import { Icon } from '../icon/icon.tsx';
import { formatTime } from '../times/times.ts';
import { useMinute } from '../browser/now.ts';
import { useZone } from '../times/zone.ts';
import { zonePlace } from './zone-words.ts';
import { useNextFires } from './use-next-fires.ts';
import type { WhenForm } from './when-form.ts';
import { comesTwice, instantOf } from './zoned-times.ts';

const marks = {
  shifted: { icon: 'fwd', text: 'the clocks leap over it; starts when they have' },
  repeated: { icon: 'twice', text: 'comes again; starts again' },
  twice: { icon: 'twice', text: 'comes twice; starts at the first' },
  skipped: { icon: 'gap', text: 'the clocks leap over it; does not start' },
} as const;

/** The next five starts, on the clocks of the rule's zone and of whoever looks, and what clock changes do to them. */
export function NextFires({ when }: { when: WhenForm }) {
  const own = useZone().zone;
  const now = new Date(useMinute());
  const { fires, zone, isBehind, error } = useNextFires(when);
  if (fires === undefined) {
    const text = error === null ? 'Reckoning the next starts…' : 'The next starts are shown once the rule can be read.';
    return <p className="t3 sm py-2">{text}</p>;
  }
  if (fires.length === 0) return <p className="t3 sm py-2">It never starts within these bounds.</p>;
  return (
    <div className="box scroll [--row:30px] aria-busy:text-faint [&_td:first-child]:w-8.5" aria-busy={isBehind}>
      <table>
        <caption className="sr-only">The next starts</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Number</span>
            </th>
            <th scope="col">Next five, {zonePlace(zone)}</th>
            {own !== zone && (
              <th scope="col" className="wide">
                {zonePlace(own)}
              </th>
            )}
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {fires.map(({ at, localTime, mark: said, instants }, index) => {
            const mark = said ?? (localTime !== null && comesTwice(localTime, zone) ? ('twice' as const) : null);
            // What is skipped is shown where it would have been.
            const shown = at ?? (localTime === null ? null : instantOf(localTime.slice(0, 19), zone));
            return (
              <tr key={`${at ?? ''} ${localTime ?? ''}`}>
                <td className="t3">{index + 1}</td>
                <td className={at === null ? 'whitespace-nowrap t3' : 'font-medium whitespace-nowrap'}>
                  {localTime !== null && mark !== null
                    ? localInWords(localTime, zone, now)
                    : shown && formatTime(shown, { zone, now })}
                </td>
                {own !== zone && (
                  <td className="t2 whitespace-nowrap wide">
                    {at === null ? '–' : formatTime(at, { zone: own, now })}
                  </td>
                )}
                <td className={mark === null ? 't3' : 'c-warn'}>
                  {mark !== null && (
                    <span className="row gap-1">
                      <Icon name={marks[mark].icon} size={14} />
                      <span>
                        {localTime?.slice(11, 16)} {marks[mark].text}
                        {instants > 1 && ` (${instants} in a row)`}
                      </span>
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A time that the clocks of the zone may never show. */
function localInWords(localTime: string, zone: string, now: Date): string {
  const asUtc = `${localTime.slice(0, 19)}Z`;
  const text = formatTime(asUtc, { zone: 'UTC', now: new Date(`${wallDay(now, zone)}T00:00:00Z`) });
  return text;
}

function wallDay(now: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    now,
  );
}
