import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListRunsResponse } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { useDebounced } from '../../parts/forms/use-debounced.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { plainText } from '../../parts/words/plain-text.ts';

interface ChooseRunDialogProps {
  /** Run that is compared with the chosen run. */
  runId: string;
  onChoose: (runId: string) => void;
  onClose: () => void;
}

const perPage = 20;
const settleMs = 250;

/** Search for any ended run by the name of its campaign, newest first. The server searches and pages. */
export function ChooseRunDialog({ runId, onChoose, onClose }: ChooseRunDialogProps) {
  const [text, setText] = useState('');
  const [cursor, setCursor] = useState<string | undefined>();
  const { value: name } = useDebounced(text.trim(), settleMs);
  const query = {
    ended: 'true' as const,
    limit: perPage,
    ...(name !== '' && { q: name.slice(0, 200) }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = useQuery({ ...listRunsOptions({ query }), placeholderData: keepPreviousData });
  const found = page.data?.items.filter((run) => run.runId !== runId);
  return (
    <Dialog
      title="Compare with a run of any campaign"
      lead="Ended runs, newest first"
      isWide
      onClose={onClose}
      actions={<Button onClick={onClose}>Back</Button>}
    >
      <TextInput
        aria-label="Name of the campaign"
        placeholder="Name of the campaign"
        type="search"
        data-autofocus
        value={text}
        onText={(typed) => {
          setText(typed);
          setCursor(undefined);
        }}
      />
      <ListView
        what="The runs"
        query={page}
        items={found}
        empty={
          <p className="t2" role="status">
            {name === '' ? 'No other run has ended.' : 'No other ended run belongs to a campaign with this name.'}
          </p>
        }
      >
        <Runs found={found} onChoose={onChoose} />
      </ListView>
      <Paging cursor={cursor} next={page.data?.next} onGo={setCursor}>
        {perPage} per page
      </Paging>
    </Dialog>
  );
}

interface RunsProps {
  found: ListRunsResponse['items'] | undefined;
  onChoose: (runId: string) => void;
}

function Runs({ found, onChoose }: RunsProps) {
  const formatTime = useFormatTime();
  const columns: readonly Column<ListRunsResponse['items'][number]>[] = [
    {
      header: 'Campaign',
      isRowHeader: true,
      cell: ({ runId, campaignName, parentRunId }) => (
        <>
          <button type="button" className="link text-left wrap-anywhere" onClick={() => onChoose(runId)}>
            {plainText(campaignName)}
          </button>
          {parentRunId !== null && <span className="tag ml-1.5">retry</span>}
        </>
      ),
    },
    {
      header: 'Run of',
      look: 'whitespace-nowrap',
      cell: ({ scheduledFor }) => formatTime(scheduledFor, { withDay: true }),
    },
    { header: 'Ended as', hideBelow: 'phone', cell: ({ state }) => <StateBadge state={state} /> },
  ];
  return (
    <div className="box overflow-auto max-h-80">
      <DataTable
        caption="Runs that have ended"
        className="table-auto"
        columns={columns}
        rows={found}
        keyOf={({ runId }) => runId}
        loadingRows={5}
      />
    </div>
  );
}
