import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListRunsResponse } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { useSettled } from '../../parts/forms/use-settled.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { plainText } from '../../parts/words/plain-text.ts';

interface ChooseRunDialogProps {
  /** The run that another one is wanted for. */
  runId: string;
  onChoose: (runId: string) => void;
  onClose: () => void;
}

const perPage = 20;
const settleMs = 250;

/** Any run that has ended, the newest first, by the name of its campaign: the server searches and pages. */
export function ChooseRunDialog({ runId, onChoose, onClose }: ChooseRunDialogProps) {
  const [text, setText] = useState('');
  const [cursor, setCursor] = useState<string | undefined>();
  const { value: name } = useSettled(text.trim(), settleMs);
  const query = {
    ...{ ended: 'true' as const, limit: perPage },
    ...(name !== '' && { q: name.slice(0, 200) }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = useQuery({ ...listRunsOptions({ query }), placeholderData: keepPreviousData });
  const found = page.data?.items.filter((run) => run.runId !== runId);
  return (
    <Dialog
      title="Compare with a run of any campaign"
      lead="Of those that have ended, the newest first"
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
      {page.error !== null && page.data === undefined ? (
        <Failed title="The runs could not be read" error={page.error} onRetry={() => void page.refetch()} />
      ) : found?.length === 0 ? (
        <p className="t2" role="status">
          {name === '' ? 'No other run has ended.' : 'No other run that has ended is of a campaign of that name.'}
        </p>
      ) : (
        <Runs found={found} onChoose={onChoose} />
      )}
      <Paging cursor={cursor} next={page.data?.next} onGo={setCursor}>
        {perPage} at a time
      </Paging>
    </Dialog>
  );
}

interface RunsProps {
  /** Undefined while they are asked for. */
  found: ListRunsResponse['items'] | undefined;
  onChoose: (runId: string) => void;
}

function Runs({ found, onChoose }: RunsProps) {
  const formatTime = useFormatTime();
  return (
    <div className="box overflow-auto max-h-80">
      <table className="table-auto">
        <caption className="sr-only">Runs that have ended</caption>
        <thead>
          <tr>
            <th scope="col">Campaign</th>
            <th scope="col">Run of</th>
            <th scope="col" className="wide">
              Ended as
            </th>
          </tr>
        </thead>
        <tbody>
          {found?.map(({ runId, campaignName, scheduledFor, state, parentRunId }) => (
            <tr key={runId}>
              <th scope="row">
                <button type="button" className="link text-left wrap-anywhere" onClick={() => onChoose(runId)}>
                  {plainText(campaignName)}
                </button>
                {parentRunId !== null && <span className="tag ml-1.5">retry</span>}
              </th>
              <td className="whitespace-nowrap">{formatTime(scheduledFor, { withDay: true })}</td>
              <td className="wide">
                <StateBadge state={state} />
              </td>
            </tr>
          )) ?? <SkeletonRows rows={5} columns={[220, 130, 110]} />}
        </tbody>
      </table>
    </div>
  );
}
