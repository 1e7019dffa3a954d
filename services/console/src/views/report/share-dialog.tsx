import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listReportLinksOptions } from '#client/@tanstack/react-query.gen.ts';
import { revokeReportLink, shareReport } from '#client/sdk.gen.ts';
import type { ReportLink, RunReport } from '#client/types.gen.ts';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/controls.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { Time } from '../../parts/times/time.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';

const daySeconds = 86_400;
const spans = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;

type Days = (typeof spans)[number]['value'];

/** Links to the report for people without a key: a form for a new link, and existing links. */
export function ShareDialog({ report: { runId, campaignName }, onClose }: { report: RunReport; onClose: () => void }) {
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const formatTime = useFormatTime();
  const [days, setDays] = useState<Days>('7');
  const path = { id: runId };
  const links = useQuery(listReportLinksOptions({ path }));
  const createLink = useMutation({
    mutationFn: async () =>
      (await shareReport({ path, body: { expiresInSeconds: Number(days) * daySeconds }, throwOnError: true })).data,
    onSuccess: () => queries.invalidateQueries(listReportLinksOptions({ path })),
  });
  return (
    <Dialog
      title="Share this report"
      lead={campaignName}
      isWide
      onClose={onClose}
      actions={
        <Button kind={createLink.data ? 'ink' : 'plain'} onClick={onClose} data-autofocus>
          {createLink.data ? 'Done' : 'Close'}
        </Button>
      }
    >
      <p className="t2">
        Anyone with the link can open the report without a key: current figures and reasons, but no user ids. The link
        expires automatically and can be revoked.
      </p>
      <div className="row items-end flex-wrap">
        <FormField pointer="/expiresInSeconds" label="Expires after" className="w-37.5">
          {(control) => <Select {...control} value={days} choices={spans} onChoose={setDays} />}
        </FormField>
        <Button
          kind="ink"
          icon="plus"
          refusal={refusal}
          disabled={createLink.isPending}
          onClick={() => createLink.mutate()}
        >
          Create a link
        </Button>
      </div>
      {createLink.data && (
        <div className="banner info" role="status">
          <div className="grid gap-1.5 min-w-0">
            <span>
              <b>Shown only once.</b>{' '}
              <span className="t2">
                Copy it now. It expires {formatTime(createLink.data.expiresAt, { withDay: true })}.
              </span>
            </span>
            <span className="row">
              <code className="mono break-all">{new URL(createLink.data.link, document.baseURI).href}</code>
              <CopyButton text={new URL(createLink.data.link, document.baseURI).href} label="Copy the link" />
            </span>
          </div>
        </div>
      )}
      {createLink.isError && <Refused error={createLink.error} />}
      {/* Reserves the height of two links, so that the buttons above do not move when the list is loaded. */}
      <div className="min-h-34">
        <ListView
          what="The links"
          query={links}
          items={links.data?.items}
          empty={<p className="t3 sm">No links yet.</p>}
        >
          <LinkTable runId={runId} links={links.data?.items} refusal={refusal} />
        </ListView>
      </div>
    </Dialog>
  );
}

interface LinkTableProps {
  runId: string;
  links: readonly ReportLink[] | undefined;
  refusal: string | undefined;
}

const closedStates = {
  revoked: 'revoked',
  'key-ended': 'closed: its key has ended or may not share this report',
} as const;

function LinkTable({ runId, links, refusal }: LinkTableProps) {
  const { keyId } = useSession();
  const columns: readonly Column<ReportLink>[] = [
    { header: 'Created', look: 'whitespace-nowrap', cell: ({ createdAt }) => <Time instant={createdAt} /> },
    {
      header: 'By',
      hideBelow: 'phone',
      look: 't2',
      cell: ({ createdBy }) =>
        createdBy === keyId ? 'by you' : <span className="mono">key …{createdBy.slice(-4)}</span>,
    },
    {
      header: 'Expires',
      look: ({ state }) => (state === 'open' ? 'whitespace-nowrap' : 't3'),
      cell: ({ state, expiresAt }) => (
        <>
          {state === 'open' || state === 'expired' ? <Time instant={expiresAt} /> : closedStates[state]}
          {state === 'expired' && ', expired'}
        </>
      ),
    },
    actionsColumn(
      (link) =>
        (link.state === 'open' || link.state === 'key-ended') && (
          <RevokeLink runId={runId} link={link} refusal={refusal} />
        ),
    ),
  ];
  return (
    <div className="box overflow-auto max-h-64">
      <DataTable
        caption="Links to this report, newest first"
        className="table-auto"
        columns={columns}
        rows={links}
        keyOf={({ id }) => id}
        loadingRows={2}
      />
    </div>
  );
}

function RevokeLink({ runId, link, refusal }: Omit<LinkTableProps, 'links'> & { link: ReportLink }) {
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const path = { id: runId, linkId: link.id };
  const revoke = useMutation({
    mutationFn: () => revokeReportLink({ path, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(listReportLinksOptions({ path: { id: runId } })),
  });
  if (!isConfirming) {
    const label = `Revoke the link …${link.id.slice(-4)}`;
    return (
      <Button small kind="bad" refusal={refusal} label={label} onClick={() => setConfirming(true)}>
        Revoke…
      </Button>
    );
  }
  return (
    <>
      <Button small kind="solid-bad" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke it
      </Button>
      <Button small onClick={() => setConfirming(false)} data-autofocus>
        Keep it
      </Button>
      {revoke.isError && <Refused error={revoke.error} />}
    </>
  );
}
