import { useState } from 'react';
import type { Client, ClientLedger } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ShareBar } from '../../parts/data-table/share-bar.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { ClientLimitsDialog } from './client-limits-dialog.tsx';

interface LimitsPanelProps {
  client: Client;
  ledger: ClientLedger | undefined;
  refusal: string | undefined;
}

export function LimitsPanel({ client, ledger, refusal }: LimitsPanelProps) {
  const [isDialogOpen, setDialogOpen] = useState(false);
  const stored = ledger && ledger.pending + ledger.sidelined;
  const { acceptPerSecond, maxStoredJobs, maxSchedules } = client;
  return (
    <Panel
      title="Limits"
      actions={
        <Button small refusal={refusal} onClick={() => setDialogOpen(true)}>
          Change…
        </Button>
      }
      footer="Limits apply over all processes and regions. Limits of calls are set per endpoint. More stored jobs are refused with 507, a higher rate with 429."
    >
      <DataTable
        caption="Limits of the client"
        className="[--row:28px]"
        columns={columns}
        rows={[
          { name: 'Jobs stored', used: stored, most: maxStoredJobs },
          { name: 'Accepted/s', most: acceptPerSecond },
          { name: 'Schedules', most: maxSchedules },
        ]}
        keyOf={({ name }) => name}
        isHeadHidden
      />
      {isDialogOpen && <ClientLimitsDialog client={client} onClose={() => setDialogOpen(false)} />}
    </Panel>
  );
}

interface Limit {
  name: string;
  used?: number | undefined;
  most: number | undefined;
}

const columns: readonly Column<Limit>[] = [
  { header: 'Limit', width: 'w-28', look: 't2 whitespace-nowrap', cell: ({ name }) => name },
  {
    header: 'Share used',
    cell: ({ used, most }) => used !== undefined && most !== undefined && <ShareBar share={used / most} />,
  },
  {
    header: 'Now',
    align: 'right',
    width: 'w-40',
    look: 'whitespace-nowrap',
    cell: ({ used, most }) => (
      <>
        {used !== undefined && `${formatCount(used)} `}
        <span className="t3">
          {most === undefined
            ? 'no limit'
            : used === undefined
              ? `at most ${formatCount(most)}`
              : `of ${formatCount(most)}`}
        </span>
      </>
    ),
  },
];
