import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listWebhookDeliveriesOptions } from '#client/@tanstack/react-query.gen.ts';
import { sendNoticesAgain } from '#client/sdk.gen.ts';
import type { Webhook, WebhookDelivery } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { eventInWords } from './notice-words.ts';

const shownAtMost = 20;

/** Latest deliveries of a webhook. Those that were given up can be sent again. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, name, url, dead } = webhook;
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const deliveries = useQuery(listWebhookDeliveriesOptions({ path: { id }, query: { limit: shownAtMost } }));
  const again = useMutation({
    mutationFn: () => sendNoticesAgain({ path: { id }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const items = deliveries.data?.items;
  return (
    <Dialog
      title={`Sent to ${name ?? url}`}
      lead={items?.length === 0 ? 'Nothing was sent yet.' : `The last ${shownAtMost} at most, newest first.`}
      onClose={onClose}
      actions={
        <>
          {dead > 0 && (
            <Button refusal={refusal} disabled={again.isPending} onClick={() => again.mutate()}>
              Send {countOf(dead, 'dead notice')} again
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <ListView what="What was sent" query={deliveries} items={items} empty={null}>
        <DataTable
          caption="What was sent, newest first"
          className="table-auto"
          columns={columns}
          rows={items}
          keyOf={({ id, at }) => `${id} ${at}`}
        />
      </ListView>
      {again.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(again.error).detail}
        </p>
      )}
    </Dialog>
  );
}

const columns: readonly Column<WebhookDelivery>[] = [
  { header: 'When', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} /> },
  { header: 'What', cell: ({ event }) => eventInWords(event) },
  {
    header: 'Became',
    cell: ({ state, attempts, status, cause }) => (
      <>
        <span className={state === 'dead' ? 'c-bad font-medium' : undefined}>{state}</span>
        <div className="t2 sm wrap-anywhere">
          {countOf(attempts, 'try', 'tries')}
          {status !== null && `, answered ${status}`}
          {cause !== null && `, ${cause}`}
        </div>
      </>
    ),
  },
];
