import type { RunForecast, RunReport } from '#client/types.gen.ts';
import { takesText } from '../../parts/campaign/arithmetic.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { titleOf, withTitles } from '../../parts/words/action-titles.ts';

const shownAtMost = 8;

/** Of a dry run: how long the run would take, shard by shard, and what that rests on. */
export function ForecastPanel({ report }: { report: Pick<RunReport, 'forecast' | 'audience'> }) {
  const { forecast, audience } = report;
  if (forecast === null) return null;
  const { load, takesSeconds, restsOn } = forecast;
  const shown = load.toSorted((a, b) => (b.seconds ?? Infinity) - (a.seconds ?? Infinity)).slice(0, shownAtMost);
  const { shared = 0 } = audience;
  return (
    <Panel
      title="What it would take"
      note={takesText(takesSeconds)}
      footer={
        <>
          <p className="wrap-anywhere">{withTitles(restsOn)}</p>
          {shared > 0 && <p>{countOf(shared, 'user')} are in several sources; each counts once.</p>}
          {load.length > shown.length && <p>{countOf(load.length - shown.length, 'more shard')} take less.</p>}
        </>
      }
    >
      <table className="sm [--row:27px]">
        <thead>
          <tr>
            <th scope="col">Shard</th>
            <th scope="col" className="text-right">
              Users
            </th>
            <th scope="col" className="text-right">
              Calls
            </th>
            <th scope="col" className="text-right">
              Takes
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((line) => (
            <ShardRow key={`${line.step} ${line.country}`} line={line} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function ShardRow({ line }: { line: RunForecast['load'][number] }) {
  const { step, action, country, users, calls, seconds } = line;
  return (
    <tr>
      <th scope="row" className="wrap-anywhere">
        {step} {titleOf(action)} {country}
      </th>
      <td className="text-right">{formatCount(users ?? 0)}</td>
      <td className="text-right">{formatCount(calls ?? 0)}</td>
      <td className="text-right whitespace-nowrap">
        {seconds === null ? 'not known' : formatDuration(seconds * 1000)}
      </td>
    </tr>
  );
}
