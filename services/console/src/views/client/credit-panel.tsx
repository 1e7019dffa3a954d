import type { ClientLoad } from '#client/types.gen.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

/** Who calls its jobs: what each has under way of what it may, and how many more it may be sent. */
export function CreditPanel({ load }: { load: ClientLoad | undefined }) {
  return (
    <Panel
      title="Credit by dispatcher"
      note="what each may take now"
      footer="Credit is how many more of its jobs a dispatcher may be sent; what is beyond waits in the database."
    >
      {load?.dispatchers.length === 0 ? (
        <p className="pad t3 sm">No dispatcher takes jobs now.</p>
      ) : (
        <table className="table-fixed [--row:28px]">
          <caption className="sr-only">Credit by dispatcher</caption>
          <thead>
            <tr>
              <th scope="col">Dispatcher</th>
              <th scope="col" className="w-20 wide">
                <span className="sr-only">Share under way</span>
              </th>
              <th scope="col" className="w-20 text-right">
                Under way
              </th>
              <th scope="col" className="w-16 text-right">
                Credit
              </th>
            </tr>
          </thead>
          <tbody className="text-sm">
            {load?.dispatchers.map((each) => <Line key={each.dispatcher} {...each} />) ?? (
              <SkeletonRows rows={2} columns={[120, 60, 50, 40]} />
            )}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Line({ dispatcher, region, underWay, maxUnderWay, credit }: ClientLoad['dispatchers'][number]) {
  return (
    <tr>
      <td className="truncate" title={dispatcher}>
        {hostOf(dispatcher)} <span className="t3">{region}</span>
      </td>
      <td className="wide">
        {maxUnderWay !== null && maxUnderWay > 0 && (
          <div className="prog" role="presentation">
            <i style={{ width: `${Math.min(100, (underWay / maxUnderWay) * 100)}%` }} />
          </div>
        )}
      </td>
      <td className="text-right whitespace-nowrap">
        {formatCount(underWay)} {maxUnderWay !== null && <span className="t3">of {formatCount(maxUnderWay)}</span>}
      </td>
      <td className="text-right">{formatCount(credit)}</td>
    </tr>
  );
}

/** `d1` of `dispatcher@d1/0193…`; what says it otherwise stays. */
function hostOf(dispatcher: string): string {
  return /^dispatcher@([^/]+)\//.exec(dispatcher)?.[1] ?? dispatcher;
}
