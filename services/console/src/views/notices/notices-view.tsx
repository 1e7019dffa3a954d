import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listWebhooksOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteWebhook, testWebhook } from '#client/sdk.gen.ts';
import type { Webhook } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { CampaignName } from './campaign-name.tsx';
import { DeliveriesDialog } from './deliveries-dialog.tsx';
import { NoticeDialog } from './notice-dialog.tsx';
import { campaignsInWords, digestInWords, eventsInWords, wayOf, ways } from './notice-words.ts';

type Asked = { verb: 'new' } | { verb: 'change' | 'deliveries' | 'delete'; webhook: Webhook };

export function NoticesView() {
  const refusal = useRefusal('manager');
  const [asked, setAsked] = useState<Asked>();
  const webhooks = useQuery(listWebhooksOptions());
  const items = webhooks.data?.items;
  return (
    <Page
      title="Notices"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setAsked({ verb: 'new' })}>
          New notice
        </Button>
      }
    >
      <section className="panel" aria-label="Notices">
        <ListView
          what="The notices"
          query={webhooks}
          items={items}
          empty={
            <Empty icon="fwd" title="No notices yet">
              A notice is a message to another service, such as the channel of a team, when a run starts, is paused or
              has ended. Add one with the button above, and choose the events and the campaigns that it is for.
            </Empty>
          }
        >
          <NoticeTable webhooks={items} refusal={refusal} onAsk={setAsked} />
        </ListView>
      </section>
      {asked && <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}

function AskedDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  switch (asked.verb) {
    case 'new':
      return <NoticeDialog webhook={null} onClose={onClose} />;
    case 'change':
      return <NoticeDialog webhook={asked.webhook} onClose={onClose} />;
    case 'deliveries':
      return <DeliveriesDialog webhook={asked.webhook} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog webhook={asked.webhook} onClose={onClose} />;
  }
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, waiting } = webhook;
  return (
    <VerbDialog
      title={`Tell ${nameOf(webhook)} nothing any more?`}
      lead={`Taken back: ${countOf(waiting, 'notice')} on the way.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteWebhook({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      What happens from now on is not told to it.
    </VerbDialog>
  );
}

function nameOf({ name, url }: Webhook): string {
  return name ?? url;
}

interface NoticeTableProps {
  webhooks: readonly Webhook[] | undefined;
  refusal: string | undefined;
  onAsk: (asked: Asked) => void;
}

function NoticeTable({ webhooks, refusal, onAsk }: NoticeTableProps) {
  const columns: readonly Column<Webhook>[] = [
    { header: 'To, for what', cell: (webhook) => <Notice webhook={webhook} /> },
    {
      header: 'Of',
      hideBelow: 'phone',
      look: 't2 wrap-anywhere',
      cell: (webhook) => (
        <>
          {webhook.campaigns?.map((id) => (
            <div key={id}>
              <CampaignName id={id} />
            </div>
          ))}
          {campaignsInWords(webhook)}
        </>
      ),
    },
    { header: 'Last sent', look: 'whitespace-nowrap', cell: (webhook) => <LastSent webhook={webhook} /> },
    actionsColumn((webhook) => <NoticeActions webhook={webhook} refusal={refusal} onAsk={onAsk} />),
  ];
  return (
    <DataTable
      caption="Notices, oldest first"
      className="table-auto actions-below"
      columns={columns}
      rows={webhooks}
      keyOf={({ id }) => id}
    />
  );
}

function Notice({ webhook }: { webhook: Webhook }) {
  const digest = digestInWords(webhook);
  return (
    <>
      <div className="font-medium wrap-anywhere">{nameOf(webhook)}</div>
      <div className="t2 sm wrap-anywhere">
        {ways[wayOf(webhook)].label} · {eventsInWords(webhook.events)}
      </div>
      {digest !== undefined && <div className="t3 sm">what recurs together, {digest}</div>}
    </>
  );
}

interface NoticeActionsProps extends Pick<NoticeTableProps, 'refusal' | 'onAsk'> {
  webhook: Webhook;
}

function NoticeActions({ webhook, refusal, onAsk }: NoticeActionsProps) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => testWebhook({ path: { id: webhook.id }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const name = nameOf(webhook);
  const ask = (verb: 'change' | 'deliveries' | 'delete') => () => onAsk({ verb, webhook });
  return (
    <>
      <Button small label={`Sent to ${name}`} onClick={ask('deliveries')}>
        Sent…
      </Button>
      <Button small refusal={refusal} label={`Test ${name}`} disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isSuccess ? 'Test sent' : 'Test'}
      </Button>
      <Button small refusal={refusal} label={`Change ${name}`} onClick={ask('change')}>
        Change…
      </Button>
      <Button small kind="bad" refusal={refusal} label={`Delete ${name}`} onClick={ask('delete')}>
        Delete…
      </Button>
      {test.isError && (
        <div className="c-bad sm w-full" role="alert">
          {problemOf(test.error).detail}
        </div>
      )}
    </>
  );
}

function LastSent({ webhook: { dead, waiting, enabled, lastSent } }: { webhook: Webhook }) {
  return (
    <>
      {dead > 0 && <div className="c-bad font-medium">{dead.toLocaleString('en-US')} dead</div>}
      <div className={dead > 0 ? 't2 sm' : undefined}>{lastSent ? <Time instant={lastSent.at} /> : 'never'}</div>
      {!enabled && <div className="t2 sm">switched off</div>}
      {waiting > 0 && <div className="t2 sm">{waiting.toLocaleString('en-US')} on the way</div>}
    </>
  );
}
