import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listReportLinksOptions } from '#client/@tanstack/react-query.gen.ts';
import { revokeReportLink, shareReport } from '#client/sdk.gen.ts';
import type { ReportLink, RunReport } from '#client/types.gen.ts';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/controls.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
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

/** Links to this report for people without a key: what each shows, until when, and those that there are. */
export function ShareDialog({ report: { runId, campaignName }, onClose }: { report: RunReport; onClose: () => void }) {
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const formatTime = useFormatTime();
  const [days, setDays] = useState<Days>('7');
  const path = { id: runId };
  const links = useQuery(listReportLinksOptions({ path }));
  const make = useMutation({
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
        <Button kind={make.data ? 'ink' : 'plain'} onClick={onClose} data-autofocus>
          {make.data ? 'Done' : 'Close'}
        </Button>
      }
    >
      <p className="t2">
        A link opens this report, as it is then, to whoever has it, without a key: figures and reasons, no user ids. It
        ends by itself, and can be revoked.
      </p>
      <div className="row items-end flex-wrap">
        <FormField pointer="/expiresInSeconds" label="It ends after" className="w-37.5">
          {(control) => <Select {...control} value={days} choices={spans} onChoose={setDays} />}
        </FormField>
        <Button kind="ink" icon="plus" refusal={refusal} disabled={make.isPending} onClick={() => make.mutate()}>
          Make a link
        </Button>
      </div>
      {make.data && (
        <div className="banner info" role="status">
          <div className="grid gap-1.5 min-w-0">
            <span>
              <b>Shown this once.</b>{' '}
              <span className="t2">
                Pass it on as it is; it ends {formatTime(make.data.expiresAt, { withDay: true })}.
              </span>
            </span>
            <span className="row">
              <code className="mono break-all">{new URL(make.data.link, document.baseURI).href}</code>
              <CopyButton text={new URL(make.data.link, document.baseURI).href} label="Copy the link" />
            </span>
          </div>
        </div>
      )}
      {make.isError && <Refused error={make.error} />}
      {links.error !== null && links.data === undefined ? (
        <Failed title="The links could not be read" error={links.error} onRetry={() => void links.refetch()} />
      ) : links.data?.items.length === 0 ? (
        <p className="t3 sm">No link to it was made yet.</p>
      ) : (
        <LinkTable runId={runId} links={links.data?.items} refusal={refusal} />
      )}
    </Dialog>
  );
}

interface LinkTableProps {
  runId: string;
  /** Undefined while they are asked for. */
  links: readonly ReportLink[] | undefined;
  refusal: string | undefined;
}

function LinkTable({ links, ...rest }: LinkTableProps) {
  return (
    <div className="box overflow-auto max-h-64">
      <table className="table-auto">
        <caption className="sr-only">Links to this report, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Made</th>
            <th scope="col" className="wide">
              By
            </th>
            <th scope="col">Ends</th>
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {links?.map((link) => <LinkRow key={link.id} link={link} {...rest} />) ?? (
            <SkeletonRows rows={2} columns={[110, 90, 110, 60]} />
          )}
        </tbody>
      </table>
    </div>
  );
}

const closedStates = {
  revoked: 'revoked',
  'key-ended': 'closed: its key ended, or may not share this report',
} as const;

function LinkRow({ runId, link, refusal }: Omit<LinkTableProps, 'links'> & { link: ReportLink }) {
  const queries = useQueryClient();
  const { keyId } = useSession();
  const [isAsked, setAsked] = useState(false);
  const path = { id: runId, linkId: link.id };
  const revoke = useMutation({
    mutationFn: () => revokeReportLink({ path, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(listReportLinksOptions({ path: { id: runId } })),
  });
  const { createdAt, expiresAt, madeBy, state } = link;
  const of = link.id.slice(-4);
  return (
    <tr>
      <td className="whitespace-nowrap">
        <Time instant={createdAt} />
      </td>
      <td className="wide t2">{madeBy === keyId ? 'by you' : <span className="mono">key …{madeBy.slice(-4)}</span>}</td>
      <td className={state === 'open' ? 'whitespace-nowrap' : 't3'}>
        {state === 'open' || state === 'expired' ? <Time instant={expiresAt} /> : closedStates[state]}
        {state === 'expired' && ', ended'}
        {revoke.isError && <Refused error={revoke.error} />}
      </td>
      <td className="text-right whitespace-nowrap">
        {(state === 'open' || state === 'key-ended') &&
          (isAsked ? (
            <span className="row justify-end">
              <Button small kind="solid-bad" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
                Revoke it
              </Button>
              <Button small onClick={() => setAsked(false)} data-autofocus>
                Keep it
              </Button>
            </span>
          ) : (
            <Button small kind="bad" refusal={refusal} label={`Revoke the link …${of}`} onClick={() => setAsked(true)}>
              Revoke…
            </Button>
          ))}
      </td>
    </tr>
  );
}
