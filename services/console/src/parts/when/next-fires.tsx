import { Icon } from '../icon/icon.tsx';
import { useMinute } from '../browser/now.ts';
import { useZone } from '../times/zone.ts';
import { fireRows } from './fire-rows.ts';
import { zonePlace } from './zone-words.ts';
import { useNextFires } from './use-next-fires.ts';
import type { WhenForm } from './when-form.ts';

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
          {fireRows(fires, { zone, own, now }).map(({ key, time, ownTime, mark }, index) => (
            <tr key={key}>
              <td className="t3">{index + 1}</td>
              <td className={ownTime === null ? 'whitespace-nowrap t3' : 'font-medium whitespace-nowrap'}>{time}</td>
              {own !== zone && <td className="t2 whitespace-nowrap wide">{ownTime ?? '–'}</td>}
              <td className={mark === null ? 't3' : 'c-warn'}>
                {mark !== null && (
                  <span className="row gap-1">
                    <Icon name={mark.icon} size={14} />
                    <span>{mark.text}</span>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
