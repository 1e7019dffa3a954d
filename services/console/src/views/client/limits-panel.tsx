import { useState } from 'react';
import type { Client, ClientLedger, ClientLoad } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { ClientLimitsDialog } from './client-limits-dialog.tsx';

interface LimitsPanelProps {
  client: Client;
  ledger: ClientLedger | undefined;
  load: ClientLoad | undefined;
  refusal: string | undefined;
}

/** What it may, and how much of that is used, where somebody counts it. */
export function LimitsPanel({ client, ledger, load, refusal }: LimitsPanelProps) {
  const [isAsked, setAsked] = useState(false);
  // Endpoints have limits of their own.
  const own = load?.endpoints.find(({ endpoint }) => endpoint === null);
  const stored = ledger && ledger.pending + ledger.sidelined;
  const { publishRatePerSecond, acceptPerSecond, concurrency, maxStoredJobs, maxSchedules } = client;
  return (
    <Panel
      title="Limits"
      actions={
        <Button small refusal={refusal} onClick={() => setAsked(true)}>
          Change…
        </Button>
      }
      footer="Each is one number over all dispatchers and regions; calls are of jobs that name no endpoint. Beyond “stored” an answer is 507, beyond “accepted” 429; both name the bound."
    >
      <table className="[--row:28px]">
        <caption className="sr-only">Limits of the client</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">Share used</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          <Line name="Jobs stored" used={stored} most={maxStoredJobs} />
          <Line name="Calls/s" used={own?.callsPerSecond} most={publishRatePerSecond} />
          <Line name="Calls at once" used={own?.underWay} most={concurrency} />
          <Line name="Accepted/s" most={acceptPerSecond} />
          <Line name="Schedules" most={maxSchedules} />
        </tbody>
      </table>
      {isAsked && <ClientLimitsDialog client={client} onClose={() => setAsked(false)} />}
    </Panel>
  );
}

/** @param most undefined: without a limit */
function Line({ name, used, most }: { name: string; used?: number | undefined; most: number | undefined }) {
  const share = used === undefined || most === undefined ? null : Math.min(100, (used / most) * 100);
  return (
    <tr>
      <td className="t2 whitespace-nowrap w-28">{name}</td>
      <td>
        {share !== null && (
          <div className="prog" role="presentation">
            <i style={{ width: `${share}%` }} />
          </div>
        )}
      </td>
      <td className="text-right whitespace-nowrap w-40">
        {used !== undefined && `${formatRate(used)} `}
        <span className="t3">
          {most === undefined
            ? 'no limit'
            : used === undefined
              ? `at most ${formatCount(most)}`
              : `of ${formatCount(most)}`}
        </span>
      </td>
    </tr>
  );
}
